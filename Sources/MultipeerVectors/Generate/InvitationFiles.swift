internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `invitation/` and `encryption-policy/`: SPEC §4.2, §8, §11.
struct InvitationFiles {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }
    /// A charter of a new session, and the byte that says so. Its founder is not judged here.
    private var session: [UInt8] { charter() + [1] }

    func charter(_ parameters: [UInt8] = []) -> [UInt8] {
        WireBytes.charter(
            founder: samples.bytes32("founder"), nonce: samples.bytes32("session"), parameters: parameters)
    }

    func all() throws -> [(name: String, file: VectorFile)] {
        [
            try controlFrames().file(), try names().file(), try crossing().file(), try policy().file(),
            try identifiers().file(),
        ]
    }

    private func controlFrames() throws -> CaseWriter {
        let writer = CaseWriter(
            "invitation/frames", topic: "invitation-frames", type: .controlFrame, section: "8.1", subject: subject)
        let cases = FrameCases(writer)
        try peerInfo(cases)
        try invite(cases)
        try accept(cases)
        try answers(cases)
        try added(cases)
        return writer
    }

    private func peerInfo(_ cases: FrameCases) throws {
        cases.begin("PEER_INFO", section: "8.1")
        let name = WireBytes.vector(Array("Anna".utf8))
        let limit = WireBytes.varint(65_536)
        try cases.accept("a name and a limit", ["R8.1-2"], name + limit + [0, 0])
        try cases.accept("the shortest name", [], [1, 0x41] + limit + [0, 0])
        try cases.accept("63 bytes of name", [], WireBytes.vector(samples.letters(63)) + limit + [0, 0])
        try cases.accept("the least maximumMessage", ["R8.1-2"], name + [1, 0, 0])
        try cases.accept("the largest maximumMessage", ["R8.1-2"], name + WireBytes.varint(0xFFFF_FFFF) + [0, 0])
        try cases.refuse("ValueOutOfRange", "maximumMessage 0", ["R8.1-2"], name + [0, 0, 0])
        try cases.refuse(
            "ValueOutOfRange", "maximumMessage 2^32", ["R8.1-2"], name + WireBytes.varint(1 << 32) + [0, 0])
        try cases.accept("an empty name: the sender shows it to others only", ["R8.1-6"], [0] + limit + [0, 0])
        try cases.refuse(
            "LengthOutOfRange", "64 bytes of name", ["R4.2-1", "R3.3-1"],
            WireBytes.vector(samples.letters(64)) + limit + [0, 0])
        try cases.fieldLists(name + limit + [0])
        try features(cases, name + limit)
    }

    private func features(_ cases: FrameCases, _ front: [UInt8]) throws {
        func list(_ values: [UInt16]) -> [UInt8] { front + WireBytes.values(values) + [0] }
        try cases.accept("a feature that nobody knows", ["R8.1-4"], flags: ["UnknownIgnorable"], list([0x4000]))
        try cases.accept(
            "features, GREASE among them", ["R8.1-3", "R8.1-4"], flags: ["UnknownIgnorable"],
            list([1, 0x1A1A, 0xFF00]))
        try cases.accept(
            "128 features", ["R8.1-3"], flags: ["UnknownIgnorable"], list((1...128).map { UInt16($0 * 500) }))
        try cases.refuse("LengthOutOfRange", "129 features", ["R3.3-1"], list((1...129).map { UInt16($0 * 500) }))
        try cases.refuse("Duplicate", "a feature stands twice", ["R8.1-3"], list([7, 7]))
        try cases.refuse("NotAscending", "features descend", ["R8.1-3"], list([7, 6]))
        try cases.refuse("CutElement", "half a feature", ["R3.3-1"], front + [3, 0, 1, 0] + [0])
        try cases.refuse("Truncated", "no features and no fields: draft 01", ["R3.3-1"], front)
    }

    private func invite(_ cases: FrameCases) throws {
        cases.begin("INVITE", section: "8.2")
        let timeout = WireBytes.varint(30_000)
        let context = WireBytes.vector(Array("play?".utf8))
        for preference in 0...2 as ClosedRange<UInt8> {
            try cases.accept(
                "preference \(preference)", ["R8.2-1"], session + [preference, 0] + timeout + context + [0])
        }
        try cases.accept("an X.509 chain will come", ["R8.2-2"], session + [1, 1] + timeout + [0, 0])
        try cases.accept("the least timeout", ["R8.2-1"], session + [1, 0, 1, 0, 0])
        try cases.accept("the largest timeout", ["R8.2-1"], session + [1, 0] + WireBytes.varint(600_000) + [0, 0])
        try cases.accept(
            "the longest context", [],
            session + [1, 0] + timeout + WireBytes.vector(samples.bytes(16_384, "context")) + [0])
        try cases.refuse("ValueOutOfRange", "preference 3", ["R8.2-1"], session + [3, 0] + timeout + [0, 0])
        try cases.refuse(
            "UnknownCritical", "identityKind 2", ["R8.2-2"], code: "unsupported",
            session + [1, 2] + timeout + [0, 0])
        try cases.refuse("ValueOutOfRange", "timeout 0", ["R8.2-1"], session + [1, 0, 0, 0, 0])
        try cases.refuse(
            "ValueOutOfRange", "timeout 600,001", ["R8.2-1"], session + [1, 0] + WireBytes.varint(600_001) + [0, 0])
        try cases.refuse(
            "LengthOutOfRange", "16,385 bytes of context", ["R3.3-1"],
            session + [1, 0] + timeout + WireBytes.varint(16_385) + samples.bytes(16_385, "context") + [0])
        try cases.refuse(
            "Precedence", "preference 3 comes before identityKind 2", ["R18-1"],
            session + [3, 2] + timeout + [0, 0])
        try cases.refuse(
            "Precedence", "identityKind 2 comes before timeout 0", ["R18-1"], code: "unsupported",
            session + [1, 2, 0, 0, 0])
        try cases.refuse("Truncated", "31 bytes of nonce", ["R3.3-1"], Array(session.dropLast(3)))
        try cases.fieldLists(session + [1, 0] + timeout + context, maximum: 8_192, even: 4)
        try sessions(cases, [1, 0] + timeout + context + [0])
        try chains(cases, [1, 0] + timeout + context)
    }

    private func sessions(_ cases: FrameCases, _ rest: [UInt8]) throws {
        for kind in [3, 255] as [UInt8] {
            try cases.refuse(
                "UnknownCritical", "sessionKind \(kind)", ["R8.2-2"], code: "unsupported", charter() + [kind] + rest)
        }
        try cases.refuse(
            "Precedence", "sessionKind 3 comes before preference 3", ["R8.2-2", "R18-1"], code: "unsupported",
            charter() + [3, 3] + rest.dropFirst())
        try cases.accept(
            "an odd parameter", ["R3.4-2", "R4.3-2"], flags: ["UnknownIgnorable"],
            charter(WireBytes.field(1, [7, 7])) + [1] + rest)
        try cases.accept(
            "1,024 bytes of parameters", ["R3.4-2"], flags: ["UnknownIgnorable"],
            charter(WireBytes.field(1, [UInt8](repeating: 7, count: 1_021))) + [1] + rest)
        try cases.refuse(
            "LengthOutOfRange", "1,025 bytes of parameters", ["R3.3-1"],
            charter(WireBytes.field(1, [UInt8](repeating: 7, count: 1_022))) + [1] + rest)
        try cases.refuse(
            "UnknownCritical", "an even parameter", ["R3.4-3"], code: "unsupported",
            charter(WireBytes.field(8, [])) + [1] + rest)
        try cases.refuse(
            "NotAscending", "parameters descend", ["R3.4-1"],
            charter(WireBytes.field(3, []) + WireBytes.field(1, [])) + [1] + rest)
        try cases.refuse(
            "Precedence", "an even parameter comes before sessionKind 3 and preference 3", ["R3.4-3", "R18-1"],
            code: "unsupported", charter(WireBytes.field(8, [])) + [3, 3] + rest.dropFirst())
        try cases.refuse(
            "ValueOutOfRange", "a parameter that has a meaning, of another length", ["R14.1-1"], section: "14.1",
            charter(WireBytes.field(2, [])) + [1] + rest)
        try cases.refuse("Truncated", "31 bytes of founder", ["R3.3-1"], Array(charter().prefix(31)))
        try cases.refuse("Truncated", "no parameters", ["R3.3-1"], Array(charter().prefix(64)))
    }

    private func identifiers() throws -> CaseWriter {
        let cases = CaseWriter(
            "invitation/session-identifier", topic: "invitation-session-identifier", type: .sessionIdentifier,
            section: "4.3", subject: subject)
        func add(_ comment: String, _ charter: [UInt8], flags: [String] = []) throws {
            try cases.accept(comment, ["R4.3-2"], flags: flags, ["charter": .hex(charter)])
        }
        try add("no parameters", charter())
        try add(
            "another founder",
            WireBytes.charter(founder: samples.bytes32("another founder"), nonce: samples.bytes32("session")))
        try add(
            "another nonce", WireBytes.charter(founder: samples.bytes32("founder"), nonce: samples.bytes32("other")))
        try add("an odd parameter is hashed", charter(WireBytes.field(1, [1])), flags: ["UnknownIgnorable"])
        try add(
            "1,024 bytes of parameters", charter(WireBytes.field(5, samples.bytes(1_021, "parameter"))),
            flags: ["UnknownIgnorable"])
        func refuse(_ code: String, _ flag: String, _ comment: String, _ charter: [UInt8]) throws {
            try cases.reject(code, flag, comment, ["R3.4-1"], section: "3.4", ["charter": .hex(charter)])
        }
        try refuse("unsupported", "UnknownCritical", "an even parameter", charter(WireBytes.field(8, [])))
        try refuse("malformed", "TrailingBytes", "a byte after the parameters", charter() + [0])
        try refuse("malformed", "Truncated", "no parameters", Array(charter().dropLast()))
        return cases
    }

    private func accept(_ cases: FrameCases) throws {
        cases.begin("ACCEPT", section: "8.3")
        try cases.accept("readable", ["R8.3-2"], [0, 0, 0, 0])
        try cases.accept("encrypted, with a chain", ["R8.3-2"], [2, 1, 1, 0])
        try cases.accept("an outcome that no policy gives decodes", ["R8.3-1"], [2, 0, 0, 0])
        try cases.refuse("ValueOutOfRange", "preference 3", ["R8.3-2"], [3, 0, 1, 0])
        try cases.refuse("UnknownCritical", "identityKind 2", ["R8.3-2"], code: "unsupported", [1, 2, 1, 0])
        try cases.refuse("ValueOutOfRange", "outcome 2", ["R8.3-2"], [1, 0, 2, 0])
        try cases.refuse(
            "Precedence", "identityKind 2 comes before outcome 2", ["R18-1"], code: "unsupported", [1, 2, 2, 0])
        try cases.fieldLists([1, 0, 1], maximum: 8_192)
    }

    private func answers(_ cases: FrameCases) throws {
        cases.begin("DECLINE", section: "8.4")
        let known: [(UInt8, String)] = [
            (1, "declined"), (2, "busy"), (4, "timeout"), (6, "no_session"), (7, "full"),
        ]
        for (reason, name) in known {
            try cases.accept(name, ["R8.4-1"], [reason, 0, 0])
            try cases.refuse(
                "LengthOutOfRange", "\(name) with a detail", ["R8.4-1"], [reason, 1, 0, 0])
        }
        for preference in 0...2 as ClosedRange<UInt8> {
            try cases.accept(
                "encryption_policy, preference \(preference)", ["R8.4-1", "R8.4-2"], [3, 1, preference, 0])
        }
        try cases.refuse("ValueOutOfRange", "encryption_policy, preference 3", ["R8.4-1"], [3, 1, 3, 0])
        try cases.refuse("LengthOutOfRange", "encryption_policy without a detail", ["R8.4-1"], [3, 0, 0])
        try cases.refuse("LengthOutOfRange", "encryption_policy with two bytes", ["R8.4-1"], [3, 2, 1, 1, 0])
        try cases.accept("an unknown reason", ["R8.4-1"], flags: ["Normalized"], [8, 0, 0])
        try cases.accept("an unknown reason with a detail", ["R8.4-1"], flags: ["Normalized"], [0xFF, 3, 1, 2, 3, 0])
        try cases.accept("reason 0 is unknown", ["R8.4-1"], flags: ["Normalized"], [0, 0, 0])
        try cases.refuse(
            "LengthOutOfRange", "65 bytes of detail, for an unknown reason too", ["R3.3-1"],
            [8] + WireBytes.vector(samples.bytes(65, "detail")) + [0])
        try cases.refuse(
            "Precedence", "a detail that is wrong comes before an even field", ["R8.4-1", "R18-1"],
            [1, 1, 0] + WireBytes.vector(WireBytes.field(2, [])))
        try cases.refuse("Truncated", "no detail", ["R3.3-1"], [1])
        try cases.fieldLists([3, 1, 2])
        cases.begin("CANCEL", section: "8.5")
        try cases.accept("cancelled", ["R8.5-1"], [1, 0])
        try cases.accept("timeout", ["R8.5-1"], [2, 0])
        try cases.accept("an unknown reason", ["R8.5-1"], flags: ["Normalized"], [7, 0])
        try cases.refuse("Truncated", "no reason", ["R3.3-1"], [])
        try cases.fieldLists([1])
    }

    /// Later cases come last, so that the cases above keep their numbers.
    private func added(_ cases: FrameCases) throws {
        cases.begin("ACCEPT", section: "8.3")
        try cases.refuse(
            "Precedence", "an even type of field comes before its value, which is cut off", ["R3.4-3", "R18-1"],
            code: "unsupported", [1, 0, 1, 1, 0])
        try cases.refuse(
            "Precedence", "types that do not ascend come before an even one", ["R3.4-1", "R18-1"],
            [1, 0, 1, 4, 3, 0, 2, 0])
        try cases.refuse(
            "Precedence", "types that do not ascend come before a value that is cut off", ["R3.4-1", "R18-1"],
            [1, 0, 1, 4, 3, 0, 3, 9])
    }

    private func names() throws -> CaseWriter {
        let cases = CaseWriter(
            "invitation/display-name", topic: "invitation-display-name", type: .displayName, section: "4.2",
            subject: subject)
        let good = [
            "A", "Anna", "Zoë", "Анна", "安娜", "👩💻", "e\u{301}", " a", "a\u{3000}", "..", "a/b", "\u{200A}b", "\u{2010}",
            "\u{2027}", "a\u{202F}", "\u{205F}a", "\u{2065}", "\u{206A}", "a\u{A0}", "\u{AE}", "\u{61B}", "\u{FEFE}",
            "\u{FF00}",
            "\u{DFFFF}", "\u{E0080}", "❤\u{FE0F}", "\u{10FFFF}", String(repeating: "x", count: 63),
            String(repeating: "é", count: 31) + "x",
        ]
        for name in good {
            let codes = name.unicodeScalars.prefix(3).map { "U+" + String($0.value, radix: 16, uppercase: true) }
            try cases.accept("good: " + codes.joined(separator: " "), ["R4.2-1"], ["name": .hex(Array(name.utf8))])
        }
        func refuse(_ flag: String, _ comment: String, _ bytes: [UInt8]) throws {
            try cases.reject("malformed", flag, comment, ["R4.2-1"], ["name": .hex(bytes)])
        }
        try refuse("LengthOutOfRange", "empty", [])
        try refuse("LengthOutOfRange", "64 bytes", samples.letters(64))
        try refuse("LengthOutOfRange", "32 letters of two bytes", Array(String(repeating: "é", count: 32).utf8))
        let forbidden: [UInt32] = [
            0x00, 0x09, 0x0A, 0x1F, 0x7F, 0x80, 0x85, 0x9F, 0xAD, 0x61C, 0x200B, 0x200C, 0x200D, 0x200E, 0x200F, 0x2028,
            0x2029, 0x202A, 0x202E, 0x2060, 0x2061, 0x2064, 0x2066, 0x2069, 0xFEFF, 0xE0000, 0xE0001, 0xE0020, 0xE007F,
        ]
        for code in forbidden {
            guard let scalar = Unicode.Scalar(code) else { continue }
            try refuse(
                "ForbiddenCodePoint", "U+" + String(code, radix: 16, uppercase: true), Array("a\(scalar)b".utf8))
        }
        let blanks: [UInt32] = [
            0x20, 0xA0, 0x115F, 0x1160, 0x1680, 0x2000, 0x200A, 0x202F, 0x205F, 0x2800, 0x3000, 0x3164, 0xFFA0,
        ]
        for code in blanks {
            guard let scalar = Unicode.Scalar(code) else { continue }
            try refuse(
                "BlankName", "nothing but U+" + String(code, radix: 16, uppercase: true),
                Array("\(scalar)\(scalar)".utf8))
        }
        try refuse("BlankName", "blanks of several kinds", Array(" \u{A0}\u{2003}\u{3164} ".utf8))
        let illFormed: [(String, [UInt8])] = [
            ("a continuation byte alone", [0x80]), ("an overlong form", [0xC0, 0xAF]),
            ("an overlong form of three bytes", [0xE0, 0x80, 0xAF]), ("a surrogate", [0xED, 0xA0, 0x80]),
            ("above U+10FFFF", [0xF4, 0x90, 0x80, 0x80]), ("cut in the middle", [0xE2, 0x82]),
            ("a byte that UTF-8 never has", [0x41, 0xFF]), ("an overlong zero", [0xC0, 0x80]),
        ]
        for (comment, bytes) in illFormed { try refuse("IllFormedText", comment, bytes) }
        return cases
    }

    private func crossing() throws -> CaseWriter {
        let cases = CaseWriter(
            "invitation/crossing", topic: "invitation-crossing", type: .crossingInvitations, section: "8.6",
            subject: subject)
        typealias Invitation = (key: [UInt8], session: [UInt8])
        func add(_ comment: String, _ one: Invitation, _ other: Invitation) throws {
            try cases.accept(
                comment, ["R8.6-1"], flags: ["CrossingInvitations"],
                [
                    "one": .hex(one.key), "oneSession": .hex(one.session), "other": .hex(other.key),
                    "otherSession": .hex(other.session),
                ])
        }
        let keys = [samples.bytes32("one"), samples.bytes32("other")].sorted { $0.lexicographicallyPrecedes($1) }
        let (lesser, greater) = (keys[0], keys[1])
        let session = samples.bytes32("a session")
        let orders: [(String, [UInt8], [UInt8])] = [
            ("the first byte decides", session.changed(0, 1), session.changed(0, 2)),
            ("bytes are unsigned", session.changed(0, 0x7F), session.changed(0, 0x80)),
            ("the last byte decides", session.changed(31, 0xFE), session.changed(31, 0xFF)),
            (
                "the first difference decides, not the last byte", [1] + [UInt8](repeating: 0xFF, count: 31),
                [2] + [UInt8](repeating: 0, count: 31)
            ),
        ]
        for (comment, less, more) in orders {
            try add("of two sessions \(comment)", (greater, less), (lesser, more))
            try add("of two sessions \(comment), exchanged", (lesser, more), (greater, less))
            try add("of two inviters to one session \(comment)", (less, session), (more, session))
            try add("of two inviters to one session \(comment), exchanged", (more, session), (less, session))
        }
        return cases
    }

    private func policy() throws -> CaseWriter {
        let cases = CaseWriter(
            "encryption-policy/outcome", topic: "encryption-policy-outcome", type: .encryptionPolicy, section: "11",
            subject: subject)
        let names = ["none", "optional", "required"]
        for inviter in 0...2 {
            for invitee in 0...2 {
                try cases.accept(
                    "inviter \(names[inviter]), invitee \(names[invitee])", ["R8.3-1", "R8.4-2"],
                    ["inviter": .integer(inviter), "invitee": .integer(invitee)])
            }
        }
        return cases
    }
}

extension [UInt8] {
    /// The same bytes but for one.
    fileprivate func changed(_ index: Int, _ value: UInt8) -> [UInt8] {
        var copy = self
        copy[index] = value
        return copy
    }
}
