internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `roster/entry`: SPEC §14.3.
struct EntryFile {
    let subject: SwiftSubject
    private let session: Community
    private let member: Community.Member
    /// The member's chain: one admission by the founder.
    private let chain: [UInt8]
    private var samples: Samples { Samples(crypto: subject.crypto) }

    init(subject: SwiftSubject) throws {
        self.subject = subject
        session = try Community(samples: Samples(crypto: subject.crypto))
        member = try session.member("one")
        chain = try session.chain(of: member.key, [])
    }

    private typealias Content = Community.Content

    private func content(_ change: (inout Content) -> Void = { _ in }) -> Content {
        var content = Content(chain: chain)
        change(&content)
        return content
    }

    private func inputs(_ entry: [UInt8], seed: [UInt8]? = nil) -> JSONValue {
        var inputs: [String: JSONValue] = ["charter": .hex(session.charter), "entry": .hex(entry)]
        if let seed { inputs["seed"] = .hex(seed) }
        return .object(inputs)
    }

    func write() throws -> CaseWriter {
        let cases = CaseWriter(
            "roster/entry", topic: "roster-entry", type: .rosterEntry, section: "14.3", subject: subject)
        cases.group()
        try good(cases)
        try addresses(cases)
        try malformed(cases)
        try cut(cases)
        try invalid(cases)
        return cases
    }

    private func accept(
        _ cases: CaseWriter, _ comment: String, flags: [String] = [], _ change: (inout Content) -> Void
    ) throws {
        let entry = try session.entry(member, content(change))
        try cases.accept(comment, ["R14.3-1", "R14.3-2"], flags: flags, inputs(entry, seed: member.seed))
    }

    private func good(_ cases: CaseWriter) throws {
        let founders = try session.entry(session.founder, Content(instance: 0, name: []))
        try cases.accept(
            "the smallest: the founder's, without a name", ["R14.3-1", "R14.3-2"],
            inputs(founders, seed: session.founder.seed))
        try accept(cases, "a member that the founder has admitted") { _ in }
        try accept(cases, "one that has left") { ($0.presence, $0.sequence) = (0, 1) }
        try accept(cases, "the largest numbers") { ($0.instance, $0.sequence) = (VarInt.maximum, VarInt.maximum) }
        try accept(cases, "63 bytes of name") { $0.name = samples.letters(63) }
        try accept(cases, "an empty name") { $0.name = [] }
        let long = try session.chain(of: member.key, try (0..<7).map { try session.member("between \($0)") })
        let entry = try session.entry(member, content { $0.chain = long })
        try cases.accept("a chain of eight", ["R14.3-2", "R14.2-1"], inputs(entry, seed: member.seed))
        try accept(cases, "an odd field", flags: ["UnknownIgnorable"]) { $0.fields = WireBytes.field(1, [7, 7]) }
        try accept(cases, "256 bytes of fields", flags: ["UnknownIgnorable"]) {
            $0.fields = WireBytes.field(1, samples.bytes(253, "field"))
        }
        let edge = try session.entry(member, content { longest(&$0, 1_024) })
        guard edge.count == 1_024 else { throw GeneratorFault.cannotBuild("an entry of \(edge.count) bytes") }
        try cases.accept("exactly 1,024 bytes", ["R14.3-1"], inputs(edge, seed: member.seed))
        let over = try session.entry(member, content { longest(&$0, 1_025) })
        try refuse(cases, "LengthOutOfRange", "1,025 bytes", over)
    }

    /// An entry of `count` bytes: a chain of five, 218 bytes of addresses, and fields for the rest.
    private func longest(_ content: inout Content, _ count: Int) {
        let between = (0..<4).compactMap { try? session.member("between \($0)") }
        content.chain = (try? session.chain(of: member.key, between)) ?? []
        content.addresses = RosterFrames.addresses
        let rest = count - content.bytes(member.key).count - 64
        // Length of the list, type and length of the field: the list's own length grows by one.
        content.fields = WireBytes.field(1, samples.bytes(rest - 1 - 3, "field"))
    }

    private func addresses(_ cases: CaseWriter) throws {
        func address(_ kind: UInt8, _ count: Int) -> [UInt8] {
            [kind] + WireBytes.vector(samples.bytes(count, "address"))
        }
        let good: [(String, [UInt8])] = [
            ("an IPv4 address", address(1, 6)), ("an IPv6 address", address(2, 18)),
            ("both, the better one first", address(2, 18) + address(1, 6)),
            ("the same address twice", address(1, 6) + address(1, 6)),
            ("eight addresses", (0..<8).flatMap { _ in address(1, 6) }),
        ]
        for (comment, addresses) in good { try accept(cases, comment) { $0.addresses = addresses } }
        for (comment, addresses) in [
            ("an unknown kind with no bytes", address(9, 0)), ("an unknown kind with 64 bytes", address(9, 64)),
            ("kind 0", address(0, 6)),
        ] {
            try accept(cases, comment, flags: ["UnknownValue"]) { $0.addresses = addresses }
        }
        let bad: [(String, String, [UInt8])] = [
            ("LengthOutOfRange", "nine addresses", (0..<9).flatMap { _ in address(1, 6) }),
            ("LengthOutOfRange", "an IPv4 address of 5 bytes", address(1, 5)),
            ("LengthOutOfRange", "an IPv4 address of 7 bytes", address(1, 7)),
            ("LengthOutOfRange", "an IPv6 address of 17 bytes", address(2, 17)),
            ("LengthOutOfRange", "an IPv6 address of 19 bytes", address(2, 19)),
            ("LengthOutOfRange", "an unknown kind with 65 bytes", address(9, 65)),
            (
                "LengthOutOfRange", "257 bytes of addresses",
                address(9, 63) + address(9, 63) + address(9, 63) + address(9, 60)
            ),
            ("CutElement", "an address without its length", [1]),
        ]
        for (flag, comment, addresses) in bad {
            try refuse(cases, flag, comment, try session.entry(member, content { $0.addresses = addresses }))
        }
    }

    private func refuse(
        _ cases: CaseWriter, _ flag: String, _ comment: String, by requirements: [String] = ["R14.3-1"],
        section: String? = nil, _ entry: [UInt8]
    ) throws { try cases.reject("malformed", flag, comment, requirements, section: section, inputs(entry)) }

    private func malformed(_ cases: CaseWriter) throws {
        func entry(_ change: (inout Content) -> Void) throws -> [UInt8] { try session.entry(member, content(change)) }
        for presence in [2, 255] as [UInt8] {
            try refuse(cases, "ValueOutOfRange", "presence \(presence)", try entry { $0.presence = presence })
        }
        let names: [(String, String, [UInt8])] = [
            ("LengthOutOfRange", "64 bytes of name", samples.letters(64)),
            ("IllFormedText", "a name that is not UTF-8", [0x61, 0x80]),
            ("IllFormedText", "a surrogate in the name", [0xED, 0xA0, 0x80]),
            ("ForbiddenCodePoint", "a line end in the name", [0x61, 0x0A]),
            ("ForbiddenCodePoint", "DEL in the name", [0x61, 0x7F]),
            ("ForbiddenCodePoint", "a control of C1 in the name", Array("a\u{85}".utf8)),
            ("ForbiddenCodePoint", "a line separator in the name", Array("a\u{2028}".utf8)),
            ("ForbiddenCodePoint", "a bidirectional override in the name", Array("a\u{202E}".utf8)),
            ("ForbiddenCodePoint", "a bidirectional isolate in the name", Array("a\u{2066}".utf8)),
        ]
        for (flag, comment, name) in names { try refuse(cases, flag, comment, try entry { $0.name = name }) }
        for type in [0, 2] as [UInt64] {
            try refuse(
                cases, "UnknownCritical", "field \(type), which is malformed here, and not unsupported",
                try entry { $0.fields = WireBytes.field(type, []) })
        }
        try refuse(
            cases, "NotAscending", "fields descend", by: ["R3.4-1"], section: "3.4",
            try entry { $0.fields = WireBytes.field(3, []) + WireBytes.field(1, []) })
        try refuse(
            cases, "LengthOutOfRange", "257 bytes of fields", by: ["R3.3-1"], section: "3.4",
            try entry { $0.fields = WireBytes.field(1, samples.bytes(254, "field")) })
        for (count, flag) in [(95, "CutElement"), (97, "CutElement"), (864, "LengthOutOfRange")] {
            try refuse(
                cases, flag, "\(count) bytes of chain", by: ["R3.3-1"], section: "3.3",
                try entry { $0.chain = samples.bytes(count, "chain") })
        }
        try refuse(
            cases, "TrailingBytes", "a byte behind the signature", by: ["R3.3-2"], section: "3.3",
            try entry { _ in } + [0])
        // Malformed comes before what signatures say.
        var both = try entry { $0.presence = 2 }
        both[both.count - 1] ^= 1
        try refuse(
            cases, "Precedence", "presence 2, and a signature that does not verify", by: ["R14.3-1", "R18-1"], both)
    }

    /// Cut in each field.
    private func cut(_ cases: CaseWriter) throws {
        let whole = content { $0.addresses = [1, 6, 192, 0, 2, 1, 18, 103] }
        let entry = try session.entry(member, whole)
        let cuts: [(String, Int)] = [
            ("nothing", 0), ("31 bytes of member", 31), ("half an instance", 36), ("no sequence", 40),
            ("no presence", 41), ("no name", 42), ("half a name", 45), ("no addresses", 47), ("half an address", 52),
            ("no chain", 56), ("half a chain", 100), ("no fields", 154), ("no signature", 155),
            ("63 bytes of signature", entry.count - 1),
        ]
        for (comment, count) in cuts {
            try refuse(cases, "Truncated", comment, by: ["R3.3-1"], section: "3.3", Array(entry.prefix(count)))
        }
    }

    // MARK: Signatures

    private func refuseSigned(_ cases: CaseWriter, _ flag: String, _ comment: String, _ entry: [UInt8]) throws {
        try cases.reject("entry_invalid", flag, comment, ["R14.3-2"], inputs(entry))
    }

    private func invalid(_ cases: CaseWriter) throws {
        let good = content()
        let entry = try session.entry(member, good)
        for (index, name) in [(0, "first"), (31, "thirty-second"), (63, "last")] {
            var changed = entry
            changed[entry.count - 64 + index] ^= 1
            try refuseSigned(cases, "BadSignature", "a bit of the \(name) byte of the signature", changed)
        }
        let bytes = good.bytes(member.key)
        func signed(_ message: [UInt8], _ seed: [UInt8]? = nil) throws -> [UInt8] {
            bytes + (try session.sign(message, seed ?? member.seed))
        }
        let label = "roster entry"
        try refuseSigned(
            cases, "WrongTranscript", "signed for another session",
            try signed(session.signed(label, bytes, session: samples.bytes32("other"))))
        try refuseSigned(
            cases, "MissingLabel", "signed with the label of an admission",
            try signed(session.signed("admission", bytes)))
        try refuseSigned(
            cases, "MissingLabel", "signed without the zero byte", try signed(session.signed(label, bytes, zero: [])))
        try refuseSigned(
            cases, "MisboundKey", "signed by the admitter",
            try signed(session.signed(label, bytes), session.founder.seed))
        try refuseSigned(
            cases, "BadSignature", "the signature of an entry with another sequence",
            try signed(session.signed(label, content { $0.sequence = 1 }.bytes(member.key))))
        try refuseSigned(
            cases, "BadSignature", "the signature of an entry with another name",
            try signed(session.signed(label, content { $0.name = Array("Ann".utf8) }.bytes(member.key))))
        try chains(cases)
    }

    private func chains(_ cases: CaseWriter) throws {
        func entry(_ chain: [UInt8]) throws -> [UInt8] { try session.entry(member, content { $0.chain = chain }) }
        let other = try session.member("other")
        var changed = chain
        changed[50] ^= 1
        try refuseSigned(cases, "WrongChain", "signed rightly, without a chain", try entry([]))
        try refuseSigned(cases, "BadSignature", "signed rightly, a bit of the chain changed before", try entry(changed))
        try refuseSigned(
            cases, "MisboundKey", "signed rightly, with the chain of another member",
            try entry(try session.chain(of: other.key, [])))
        try refuseSigned(
            cases, "WrongChain", "signed rightly, admitted by somebody who is no member",
            try entry(try session.admission(of: member.key, by: other)))
        try refuseSigned(
            cases, "WrongChain", "the founder's, with a chain",
            try session.entry(
                session.founder, Content(chain: try session.chain(of: session.founder.key, []))))
        let restricted = try Community(samples: samples, parameters: WireBytes.field(2, [1]))
        let admitted = try restricted.entry(
            member, Content(chain: try restricted.chain(of: member.key, [other])))
        try cases.reject(
            "entry_invalid", "WrongChain", "a chain of two where only the founder admits", ["R14.3-2", "R14.2-1"],
            ["charter": .hex(restricted.charter), "entry": .hex(admitted)])
    }
}
