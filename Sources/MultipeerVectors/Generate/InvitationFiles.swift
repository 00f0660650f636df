internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `invitation/` and `encryption-policy/`: SPEC §4.2, §8, §11.
struct InvitationFiles {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }
    private var session: [UInt8] { Array(samples.bytes32("session").prefix(16)) }

    func all() throws -> [(name: String, file: VectorFile)] {
        [try controlFrames().file(), try names().file(), try crossing().file(), try policy().file()]
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
        try cases.accept("a name and a limit", ["R8.1-2"], name + limit + [0])
        try cases.accept("the shortest name", [], [1, 0x41] + limit + [0])
        try cases.accept("63 bytes of name", [], WireBytes.vector(samples.letters(63)) + limit + [0])
        try cases.accept("the least maximumMessage", ["R8.1-2"], name + [1, 0])
        try cases.accept("the largest maximumMessage", ["R8.1-2"], name + WireBytes.varint(0xFFFF_FFFF) + [0])
        try cases.refuse("ValueOutOfRange", "maximumMessage 0", ["R8.1-2"], name + [0, 0])
        try cases.refuse(
            "ValueOutOfRange", "maximumMessage 2^32", ["R8.1-2"], name + WireBytes.varint(1 << 32) + [0])
        try cases.refuse("LengthOutOfRange", "an empty name", ["R4.2-1", "R3.3-1"], [0] + limit + [0])
        try cases.refuse(
            "LengthOutOfRange", "64 bytes of name", ["R4.2-1", "R3.3-1"],
            WireBytes.vector(samples.letters(64)) + limit + [0])
        try cases.refuse("Truncated", "no fields", ["R3.3-1"], name + limit)
        try cases.fieldLists(name + limit)
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
        try cases.refuse("Truncated", "15 bytes of session", ["R3.3-1"], Array(session.dropLast()))
        try cases.fieldLists(session + [1, 0] + timeout + context)
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
        try cases.refuse("Truncated", "no fields", ["R3.3-1"], [1, 0, 1])
        try cases.fieldLists([1, 0, 1])
    }

    private func answers(_ cases: FrameCases) throws {
        cases.begin("DECLINE", section: "8.4")
        for (reason, name) in [(1, "declined"), (2, "busy"), (4, "timeout"), (5, "superseded")] as [(UInt8, String)] {
            try cases.accept(name, ["R8.4-1"], [reason, 0])
            try cases.refuse(
                "LengthOutOfRange", "\(name) with a detail", ["R8.4-1"], [reason, 1, 0])
        }
        for preference in 0...2 as ClosedRange<UInt8> {
            try cases.accept("encryption_policy, preference \(preference)", ["R8.4-1", "R8.4-2"], [3, 1, preference])
        }
        try cases.refuse("ValueOutOfRange", "encryption_policy, preference 3", ["R8.4-1"], [3, 1, 3])
        try cases.refuse("LengthOutOfRange", "encryption_policy without a detail", ["R8.4-1"], [3, 0])
        try cases.refuse("LengthOutOfRange", "encryption_policy with two bytes", ["R8.4-1"], [3, 2, 1, 1])
        try cases.accept("an unknown reason", ["R8.4-1"], flags: ["Normalized"], [6, 0])
        try cases.accept("an unknown reason with a detail", ["R8.4-1"], flags: ["Normalized"], [0xFF, 3, 1, 2, 3])
        try cases.accept("reason 0 is unknown", ["R8.4-1"], flags: ["Normalized"], [0, 0])
        try cases.refuse(
            "LengthOutOfRange", "65 bytes of detail, for an unknown reason too", ["R3.3-1"],
            [6] + WireBytes.vector(samples.bytes(65, "detail")))
        try cases.refuse("TrailingBytes", "a byte after the detail", ["R3.3-2"], [1, 0, 0])
        try cases.refuse("Truncated", "no detail", ["R3.3-1"], [1])
        cases.begin("CANCEL", section: "8.5")
        try cases.accept("cancelled", ["R8.5-1"], [1])
        try cases.accept("timeout", ["R8.5-1"], [2])
        try cases.accept("an unknown reason", ["R8.5-1"], flags: ["Normalized"], [7])
        try cases.refuse("Truncated", "no reason", ["R3.3-1"], [])
        try cases.refuse("TrailingBytes", "a byte after the reason", ["R3.3-2"], [1, 0])
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
            "A", "Anna", "Zoë", "Анна", "安娜", "👩‍💻", "e\u{301}", " ", "..", "a/b", "\u{200B}", "\u{202F}", "\u{2065}",
            "\u{206A}", "\u{A0}", "\u{FEFF}", "\u{10FFFF}", String(repeating: "x", count: 63),
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
            0x00, 0x09, 0x0A, 0x1F, 0x7F, 0x80, 0x85, 0x9F, 0x2028, 0x2029, 0x202A, 0x202E, 0x2066, 0x2069,
        ]
        for code in forbidden {
            guard let scalar = Unicode.Scalar(code) else { continue }
            try refuse(
                "ForbiddenCodePoint", "U+" + String(code, radix: 16, uppercase: true), Array("a\(scalar)b".utf8))
        }
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
        let key = samples.bytes32("crossing")
        func add(_ comment: String, _ one: [UInt8], _ other: [UInt8]) throws {
            try cases.accept(
                comment, ["R8.6-1", "R8.7-1"], flags: ["CrossingInvitations"], ["one": .hex(one), "other": .hex(other)])
        }
        func changed(_ index: Int, _ value: UInt8) -> [UInt8] {
            var copy = key
            copy[index] = value
            return copy
        }
        try add("the first byte decides", changed(0, 1), changed(0, 2))
        try add("the first byte decides, exchanged", changed(0, 2), changed(0, 1))
        try add("bytes are unsigned", changed(0, 0x7F), changed(0, 0x80))
        try add("the last byte decides", changed(31, 0xFE), changed(31, 0xFF))
        try add(
            "the first difference decides, not the last byte", [1] + [UInt8](repeating: 0xFF, count: 31),
            [2] + [UInt8](repeating: 0, count: 31))
        try add("two identities", samples.bytes32("one"), samples.bytes32("other"))
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

extension Samples {
    /// ASCII letters.
    func letters(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(ascii: "a") + UInt8($0 % 26) } }
}

/// Cases of the groups `ControlFrame` and `PayloadFrame`.
final class FrameCases {
    private let cases: CaseWriter
    private var section = "6.3"

    init(_ cases: CaseWriter) { self.cases = cases }

    /// Begins the cases of a frame.
    func begin(_ frame: String, section: String) {
        self.section = section
        cases.group(["frame": .string(frame)])
    }

    func accept(
        _ comment: String, _ requirements: [String], flags: [String] = [], section: String? = nil, _ payload: [UInt8]
    ) throws {
        try cases.accept(
            comment, requirements, flags: flags, section: section ?? self.section, ["payload": .hex(payload)])
    }

    func refuse(
        _ flag: String, _ comment: String, _ requirements: [String], code: String = "malformed",
        section: String? = nil, _ payload: [UInt8]
    ) throws {
        try cases.reject(
            code, flag, comment, requirements, section: section ?? self.section, ["payload": .hex(payload)])
    }

    /// What every structure that ends in a field list does with it (SPEC §3.4).
    func fieldLists(_ front: [UInt8]) throws {
        func list(_ fields: [UInt8]...) -> [UInt8] { front + WireBytes.vector(fields.flatMap { $0 }) }
        try accept(
            "an unknown odd field", ["R3.4-2"], flags: ["UnknownIgnorable"], section: "3.4",
            list(WireBytes.field(1, [1, 2, 3])))
        try accept(
            "two odd fields and a GREASE one", ["R3.4-2"], flags: ["UnknownIgnorable"], section: "3.4",
            list(WireBytes.field(1, []), WireBytes.field(3, [9]), WireBytes.field(0x7F, [1])))
        try accept(
            "a value of 512 bytes", ["R3.4-2"], flags: ["UnknownIgnorable"], section: "3.4",
            list(WireBytes.field(5, [UInt8](repeating: 7, count: 512))))
        try refuse(
            "UnknownCritical", "an unknown even field", ["R3.4-3"], code: "unsupported", section: "3.4",
            list(WireBytes.field(2, [])))
        try refuse(
            "UnknownCritical", "field 0", ["R3.4-3"], code: "unsupported", section: "3.4", list(WireBytes.field(0, [])))
        try refuse(
            "Duplicate", "a field stands twice", ["R3.4-1"], section: "3.4",
            list(WireBytes.field(1, []), WireBytes.field(1, [])))
        try refuse(
            "NotAscending", "fields descend", ["R3.4-1"], section: "3.4",
            list(WireBytes.field(3, []), WireBytes.field(1, [])))
        try refuse(
            "Precedence", "an even field that is out of order", ["R3.4-1", "R18-1"], section: "3.4",
            list(WireBytes.field(3, []), WireBytes.field(2, [])))
        try refuse(
            "LengthOutOfRange", "a value of 513 bytes", ["R3.3-1"], section: "3.4",
            list(WireBytes.field(1, [UInt8](repeating: 7, count: 513))))
        try refuse(
            "LengthOutOfRange", "1,025 bytes of fields", ["R3.3-1"], section: "3.4",
            list(
                WireBytes.field(1, [UInt8](repeating: 7, count: 510)),
                WireBytes.field(3, [UInt8](repeating: 7, count: 509))))
        try refuse("LengthExceedsRest", "a value beyond the list", ["R3.3-1"], section: "3.4", list([1, 2, 0]))
        try refuse("TrailingBytes", "a byte after the fields", ["R3.3-2"], section: "3.3", list() + [0])
    }
}
