internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `roster/frames`: ADMIT, ROSTER, DIGEST, SUMMARY, WANT (SPEC §14.5), UNITE and ENTER (SPEC §14.11). Signatures are not judged here.
struct RosterFrames {
    let subject: SwiftSubject
    private var samples: Samples { Samples(crypto: subject.crypto) }

    func write() throws -> CaseWriter {
        let writer = CaseWriter(
            "roster/frames", topic: "roster-frames", type: .controlFrame, section: "14.5", subject: subject)
        let cases = FrameCases(writer)
        try admit(cases)
        try roster(cases)
        try badEntries(cases)
        try digest(cases)
        try summary(cases)
        try want(cases)
        try unite(cases)
        try enter(cases)
        return writer
    }

    private func admit(_ cases: FrameCases) throws {
        cases.begin("ADMIT", section: "14.5")
        func admit(_ count: Int) -> [UInt8] { WireBytes.vector(samples.bytes(count, "chain")) }
        try cases.accept("no admission: the receiver is the founder", [], admit(0) + [0])
        try cases.accept("one admission", [], admit(96) + [0])
        try cases.accept("eight admissions", [], admit(768) + [0])
        for count in [1, 95, 97, 767] {
            try cases.refuse("CutElement", "\(count) bytes of chain", ["R3.3-1"], admit(count) + [0])
        }
        for count in [769, 864] {
            try cases.refuse("LengthOutOfRange", "\(count) bytes of chain", ["R3.3-1"], admit(count) + [0])
        }
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.fieldLists(admit(96))
    }

    /// An entry of a key that begins with these bytes; its signature is of nothing.
    private func entry(
        _ first: UInt8, _ second: UInt8 = 0, presence: UInt8 = 1, name: [UInt8] = Array("Anna".utf8),
        addresses: [UInt8] = [], chain: Int = 0, fields: [UInt8] = []
    ) -> [UInt8] {
        [first, second] + samples.bytes(30, "member") + WireBytes.varint(1_795_000_000_000) + [0, presence]
            + WireBytes.vector(name) + WireBytes.vector(addresses) + WireBytes.vector(samples.bytes(chain, "chain"))
            + WireBytes.vector(fields) + samples.bytes(64, "signature")
    }

    private func roster(_ cases: FrameCases) throws {
        cases.begin("ROSTER", section: "14.5")
        func roster(_ entries: [UInt8]...) -> [UInt8] { WireBytes.vector(entries.flatMap { $0 }) }
        let many = (0..<256).map { entry(UInt8($0), name: []) }
        try cases.accept("one entry", ["R14.5-3"], roster(entry(1)))
        try cases.accept("three entries in ascending order", ["R14.5-2"], roster(entry(1), entry(1, 1), entry(2)))
        try cases.accept("256 entries", ["R14.5-2"], roster(many.flatMap { $0 }))
        try cases.refuse(
            "LengthOutOfRange", "257 entries", ["R14.5-2"], roster(many.flatMap { $0 } + entry(255, 1, name: [])))
        try cases.refuse("Duplicate", "an entry twice", ["R14.5-2"], roster(entry(1), entry(1)))
        try cases.refuse("NotAscending", "entries descend", ["R14.5-2"], roster(entry(2), entry(1)))
        try cases.refuse(
            "NotAscending", "keys are compared as unsigned bytes", ["R14.5-2"], roster(entry(0x80), entry(0x7F)))
        try cases.refuse("LengthOutOfRange", "no entry", ["R3.3-1"], [0])
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.refuse("CutElement", "the second entry is cut", ["R3.3-1"], roster(entry(1), entry(2).dropLast()))
        try cases.refuse("TrailingBytes", "a byte behind the entries", ["R3.3-2", "R14.5-3"], roster(entry(1)) + [0])
        try cases.refuse(
            "Precedence", "the second entry does not ascend, and has a presence of 2", ["R14.5-3"],
            roster(entry(2), entry(1, presence: 2)))
    }

    private func badEntries(_ cases: FrameCases) throws {
        func refuse(_ flag: String, _ comment: String, _ entry: [UInt8]) throws {
            try cases.refuse(flag, comment, ["R14.3-1"], section: "14.3", WireBytes.vector(entry))
        }
        try refuse("ValueOutOfRange", "an entry with presence 2", entry(1, presence: 2))
        try refuse("ForbiddenCodePoint", "an entry with a control in its name", entry(1, name: [0x61, 0x0A]))
        try refuse("LengthOutOfRange", "an entry with a name of 64 bytes", entry(1, name: samples.letters(64)))
        try refuse(
            "LengthOutOfRange", "an entry with an IPv4 address of 5 bytes",
            entry(1, addresses: [1, 5, 192, 0, 2, 1, 9]))
        try refuse("CutElement", "an entry with 95 bytes of chain", entry(1, chain: 95))
        try refuse(
            "UnknownCritical", "an entry with an even field: malformed, and not unsupported",
            entry(1, fields: WireBytes.field(2, [])))
        try refuse(
            "LengthOutOfRange", "an entry of 1,025 bytes",
            entry(1, addresses: Self.addresses, chain: 576, fields: WireBytes.field(1, samples.bytes(111, "x"))))
        try cases.accept(
            "an entry of 1,024 bytes", ["R14.3-1"], section: "14.3",
            WireBytes.vector(
                entry(1, addresses: Self.addresses, chain: 576, fields: WireBytes.field(1, samples.bytes(110, "x")))))
    }

    /// Four addresses of an unknown kind, of 218 bytes in all.
    static let addresses = [63, 63, 63, 21].flatMap { [9, UInt8($0)] + [UInt8](repeating: 1, count: $0) }

    private func digest(_ cases: FrameCases) throws {
        cases.begin("DIGEST", section: "14.5")
        let digest = samples.bytes32("digest")
        try cases.accept("32 bytes", [], digest + [0])
        try cases.refuse("Truncated", "31 bytes", ["R3.3-1"], Array(digest.dropLast()))
        try cases.fieldLists(digest)
    }

    private func summary(_ cases: FrameCases) throws {
        cases.begin("SUMMARY", section: "14.5")
        func item(_ first: UInt8, _ second: UInt8 = 0, instance: [UInt8] = [7], sequence: [UInt8] = [0]) -> [UInt8] {
            [first, second] + samples.bytes(30, "member") + instance + sequence + samples.bytes32("entry hash")
        }
        func summary(_ items: [UInt8]...) -> [UInt8] { WireBytes.vector(items.flatMap { $0 }) }
        let many = (0..<256).flatMap { item(UInt8($0)) }
        let largest = WireBytes.varint(VarInt.maximum)
        try cases.accept("no item", [], summary() + [0])
        try cases.accept("one item", [], summary(item(1)) + [0])
        try cases.accept("the largest numbers", [], summary(item(1, instance: largest, sequence: largest)) + [0])
        try cases.accept("256 items", ["R14.5-2"], summary(many) + [0])
        try cases.refuse("LengthOutOfRange", "257 items", ["R14.5-2"], summary(many, item(255, 1)) + [0])
        try cases.refuse("Duplicate", "a member twice", ["R14.5-2"], summary(item(1), item(1, sequence: [1])) + [0])
        try cases.refuse("NotAscending", "members descend", ["R14.5-2"], summary(item(2), item(1)) + [0])
        try cases.refuse("CutElement", "the second item is cut", ["R3.3-1"], summary(item(1), item(2).dropLast()) + [0])
        try cases.refuse(
            "NonMinimalInteger", "an instance in a longer form", ["R3.2-1"],
            summary(item(1, instance: [0x40, 1])) + [0])
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.refuse(
            "Precedence", "members that descend come before an even field", ["R14.5-2", "R18-1"],
            summary(item(2), item(1)) + WireBytes.vector(WireBytes.field(2, [])))
        try cases.fieldLists(summary(item(1)))
    }

    private func want(_ cases: FrameCases) throws {
        cases.begin("WANT", section: "14.5")
        func key(_ first: UInt8, _ second: UInt8 = 0) -> [UInt8] { [first, second] + samples.bytes(30, "member") }
        func want(_ keys: [UInt8]...) -> [UInt8] { WireBytes.vector(keys.flatMap { $0 }) }
        let many = (0..<256).flatMap { key(UInt8($0)) }
        try cases.accept("one member", [], want(key(1)) + [0])
        try cases.accept("256 members", ["R14.5-2"], want(many) + [0])
        try cases.refuse("LengthOutOfRange", "no member", ["R3.3-1"], want() + [0])
        try cases.refuse("LengthOutOfRange", "257 members", ["R14.5-2"], want(many, key(255, 1)) + [0])
        try cases.refuse("Duplicate", "a member twice", ["R14.5-2"], want(key(1), key(1)) + [0])
        try cases.refuse("NotAscending", "members descend", ["R14.5-2"], want(key(2), key(1)) + [0])
        try cases.refuse("CutElement", "31 bytes of a key", ["R3.3-1"], want(key(1), key(2).dropLast()) + [0])
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.fieldLists(want(key(1)))
    }

    private func unite(_ cases: FrameCases) throws {
        cases.begin("UNITE", section: "14.11")
        func unite(_ chain: Int, _ admission: Int, _ parameters: [UInt8] = []) -> [UInt8] {
            WireBytes.charter(
                founder: samples.bytes32("founder"), nonce: samples.bytes32("nonce"), parameters: parameters)
                + WireBytes.vector(samples.bytes(chain, "chain"))
                + WireBytes.vector(samples.bytes(admission, "admission"))
        }
        try cases.accept("its sender is the founder, and admits", [], unite(0, 64) + [0])
        try cases.accept("eight admissions, and none of the receiver", [], unite(768, 0) + [0])
        for count in [1, 63] {
            try cases.refuse(
                "LengthOutOfRange", "\(count) bytes of admission", ["R14.11-2"], unite(96, count) + [0])
        }
        try cases.refuse("LengthOutOfRange", "65 bytes of admission", ["R3.3-1"], unite(96, 65) + [0])
        try cases.refuse("CutElement", "95 bytes of chain", ["R3.3-1"], unite(95, 64) + [0])
        try cases.refuse("LengthOutOfRange", "nine admissions", ["R3.3-1"], unite(864, 64) + [0])
        try cases.refuse(
            "UnknownCritical", "an even parameter", ["R3.4-3"], code: "unsupported", section: "3.4",
            unite(0, 64, WireBytes.field(8, [])) + [0])
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.fieldLists(unite(96, 64))
    }

    private func enter(_ cases: FrameCases) throws {
        cases.begin("ENTER", section: "14.11")
        let session = samples.bytes32("session")
        try cases.accept("a session", [], session + [0])
        try cases.refuse("Truncated", "31 bytes of identifier", ["R3.3-1"], Array(session.dropLast()))
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.fieldLists(session)
    }
}
