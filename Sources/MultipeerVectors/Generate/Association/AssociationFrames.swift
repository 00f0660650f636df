internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `association/frames`: CREDIT, ACK, PING, PONG, RESUME, RESUMED and the stream frames (SPEC §13.4, §13.6, §13.7, §13.9, §15.6).
struct AssociationFrames {
    let subject: SwiftSubject
    private var samples: Samples { Samples(crypto: subject.crypto) }

    func write() throws -> CaseWriter {
        let writer = CaseWriter(
            "association/frames", topic: "association-frames", type: .controlFrame, section: "13.4", subject: subject)
        let cases = FrameCases(writer)
        try credit(cases)
        try ack(cases)
        for name in ["PING", "PONG"] { try ping(cases, name) }
        try resuming(cases, "RESUME", before: samples.bytes(16, "association") + WireBytes.varint(1))
        try resuming(cases, "RESUMED", before: [])
        try open(cases)
        try end(cases)
        for name in ["STREAM_RESET", "STREAM_STOP"] { try code(cases, name) }
        return writer
    }

    private func credit(_ cases: FrameCases) throws {
        cases.begin("CREDIT", section: "13.4")
        func credit(_ kind: UInt8, _ id: UInt64 = 0, _ limit: UInt64 = 300_000) -> [UInt8] {
            [kind] + WireBytes.varint(id) + WireBytes.varint(limit)
        }
        for (kind, name) in [(0, "messages"), (1, "openings"), (2, "offers")] as [(UInt8, String)] {
            try cases.accept("of \(name)", ["R13.4-1"], credit(kind))
            try cases.refuse("ValueOutOfRange", "of \(name), with a number", ["R13.4-1"], credit(kind, 1))
        }
        for (kind, name) in [(3, "stream"), (4, "file")] as [(UInt8, String)] {
            try cases.accept("of \(name) 0", ["R13.4-1"], credit(kind))
            try cases.accept("of \(name) 70,001", [], credit(kind, 70_001))
            try cases.accept("of the \(name) with the largest number", [], credit(kind, VarInt.maximum))
        }
        try cases.accept("a limit of 0", [], credit(0, 0, 0))
        try cases.accept("the largest limit", [], credit(4, 2, VarInt.maximum))
        for kind in [5, 255] as [UInt8] {
            try cases.refuse("UnknownCritical", "kind \(kind)", ["R13.4-1"], code: "unsupported", credit(kind))
        }
        try cases.refuse(
            "Precedence", "kind 5 comes before a number that is cut", ["R13.4-1", "R18-1"], code: "unsupported", [5])
        try cases.refuse(
            "Precedence", "a number that should not be there comes before a limit that is cut", ["R13.4-1", "R18-1"],
            [0, 1])
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.refuse("Truncated", "no number", ["R3.3-1"], [3])
        try cases.refuse("Truncated", "no limit", ["R3.3-1"], [3, 0])
        try cases.refuse("NonMinimalInteger", "a number in a longer form", ["R3.2-1"], [3, 0x40, 0, 1])
        try cases.refuse("NonMinimalInteger", "a limit in a longer form", ["R3.2-1"], [0, 0, 0x40, 1])
        try cases.refuse("TrailingBytes", "a field list", ["R3.3-2"], credit(0) + [0])
    }

    private func ack(_ cases: FrameCases) throws {
        cases.begin("ACK", section: "13.6")
        for count in [0, 1, 64, 16_384, VarInt.maximum] as [UInt64] {
            try cases.accept("of \(count)", [], WireBytes.varint(count))
        }
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.refuse("Truncated", "half a count", ["R3.3-1"], [0x40])
        try cases.refuse("NonMinimalInteger", "a count in a longer form", ["R3.2-1"], [0x40, 1])
        try cases.refuse("TrailingBytes", "a field list", ["R3.3-2"], [1, 0])
    }

    private func ping(_ cases: FrameCases, _ name: String) throws {
        cases.begin(name, section: "13.7")
        let data = samples.bytes(8, "ping")
        try cases.accept("eight bytes", [], data)
        try cases.accept("eight zero bytes", [], [UInt8](repeating: 0, count: 8))
        try cases.refuse("Truncated", "seven bytes", ["R3.3-1"], Array(data.dropLast()))
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.refuse("TrailingBytes", "nine bytes", ["R3.3-2"], data + [0])
    }

    /// - Parameter front: What comes before the count.
    private func resuming(_ cases: FrameCases, _ name: String, before front: [UInt8]) throws {
        cases.begin(name, section: "13.9")
        let proof = samples.bytes(32, "proof of resuming")
        func frame(_ received: [UInt8] = [7], _ files: [[UInt8]] = [], fields: [UInt8] = []) -> [UInt8] {
            front + received + WireBytes.vector(files.flatMap { $0 }) + WireBytes.vector(fields) + proof
        }
        func file(_ id: UInt64, _ offset: UInt64 = 100) -> [UInt8] { WireBytes.varint(id) + WireBytes.varint(offset) }
        try cases.accept("no file", [], frame())
        try cases.accept("two files", ["R13.9-9"], frame([0], [file(1), file(70_001, VarInt.maximum)]))
        let many = (64..<320).map { file(UInt64($0)) }
        try cases.accept("1,024 bytes of files", [], frame([7], many))
        try cases.refuse("LengthOutOfRange", "1,028 bytes of files", ["R3.3-1"], frame([7], many + [file(320)]))
        try cases.refuse("NotAscending", "files descend", ["R13.9-9"], frame([7], [file(3), file(1)]))
        try cases.refuse("NotAscending", "a file stands twice", ["R13.9-9"], frame([7], [file(1), file(1, 101)]))
        try cases.refuse("LengthExceedsRest", "a file without an offset", ["R3.3-1"], frame([7], [[1]]))
        try cases.refuse("NonMinimalInteger", "a count in a longer form", ["R3.2-1"], frame([0x40, 7]))
        try cases.refuse("NonMinimalInteger", "an offset in a longer form", ["R3.2-1"], frame([7], [[1, 0x40, 1]]))
        try cases.accept(
            "an unknown odd field", ["R3.4-2"], flags: ["UnknownIgnorable"], section: "3.4",
            frame(fields: WireBytes.field(1, [9])))
        try cases.refuse(
            "UnknownCritical", "an unknown even field", ["R3.4-3"], code: "unsupported", section: "3.4",
            frame(fields: WireBytes.field(2, [])))
        try cases.refuse("Truncated", "nothing", ["R3.3-1"], [])
        try cases.refuse("Truncated", "31 bytes of proof", ["R3.3-1"], Array(frame().dropLast()))
        try cases.refuse("TrailingBytes", "33 bytes of proof", ["R3.3-2"], frame() + [0])
    }

    private func open(_ cases: FrameCases) throws {
        cases.begin("STREAM_OPEN", section: "15.6")
        func open(_ id: UInt64 = 0, credit: UInt64 = 32_768, name: [UInt8] = Array("chat".utf8)) -> [UInt8] {
            WireBytes.varint(id) + WireBytes.varint(credit) + WireBytes.vector(name)
        }
        try cases.accept("both ways", [], open() + [0])
        try cases.accept("one way", ["R15.6-8"], open(credit: 0) + [0])
        try cases.accept("no name", [], open(name: []) + [0])
        try cases.accept("255 bytes of name", [], open(name: samples.letters(255)) + [0])
        try cases.accept("a name that is shown without its controls decodes", [], open(name: [0x61, 0x0A, 0x62]) + [0])
        try cases.accept(
            "the largest number and credit", [], open(VarInt.maximum, credit: VarInt.maximum) + [0])
        try cases.refuse("LengthOutOfRange", "256 bytes of name", ["R3.3-1"], open(name: samples.letters(256)) + [0])
        try cases.refuse("IllFormedText", "a name that is not UTF-8", ["R15.6-1"], open(name: [0xC3, 0x28]) + [0])
        try cases.refuse("IllFormedText", "a surrogate in the name", ["R15.6-1"], open(name: [0xED, 0xA0, 0x80]) + [0])
        try cases.refuse(
            "Precedence", "a name that is not UTF-8 comes before an even field", ["R15.6-1", "R18-1"],
            open(name: [0xFF]) + WireBytes.vector(WireBytes.field(2, [])))
        try cases.refuse("Truncated", "no number", ["R3.3-1"], [])
        try cases.refuse("Truncated", "no credit", ["R3.3-1"], [0])
        try cases.refuse("Truncated", "no name", ["R3.3-1"], [0, 0])
        try cases.refuse("NonMinimalInteger", "a number in a longer form", ["R3.2-1"], [0x40, 0, 0, 0, 0])
        try cases.refuse("NonMinimalInteger", "a credit in a longer form", ["R3.2-1"], [0, 0x40, 0, 0, 0])
        try cases.fieldLists(open())
    }

    private func end(_ cases: FrameCases) throws {
        cases.begin("STREAM_END", section: "15.6")
        try cases.accept("no bytes", [], [0, 0, 0])
        try cases.accept("70,000 bytes", [], [3] + WireBytes.varint(70_000) + [0])
        try cases.accept(
            "the largest values", [], WireBytes.varint(VarInt.maximum) + WireBytes.varint(VarInt.maximum) + [0])
        try cases.refuse("Truncated", "no number", ["R3.3-1"], [])
        try cases.refuse("Truncated", "no size", ["R3.3-1"], [0])
        try cases.refuse("NonMinimalInteger", "a size in a longer form", ["R3.2-1"], [0, 0x40, 0, 0])
        try cases.fieldLists([2, 5])
    }

    private func code(_ cases: FrameCases, _ name: String) throws {
        cases.begin(name, section: "15.6")
        for code in [0, 1, 2, 3] as [UInt64] {
            try cases.accept("code \(code)", [], [0] + WireBytes.varint(code) + [0])
        }
        for code in [4, 63, 64, VarInt.maximum] as [UInt64] {
            try cases.accept("code \(code)", [], flags: ["UnknownValue"], [1] + WireBytes.varint(code) + [0])
        }
        try cases.refuse("Truncated", "no number", ["R3.3-1"], [])
        try cases.refuse("Truncated", "no code", ["R3.3-1"], [0])
        try cases.refuse("NonMinimalInteger", "a code in a longer form", ["R3.2-1"], [0, 0x40, 0, 0])
        try cases.fieldLists([2, 1])
    }
}
