internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `framing/`: SPEC §3, §6.
struct FramingFiles {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }

    func all() throws -> [(name: String, file: VectorFile)] {
        [try varints().file(), try frames().file(), try streams().file()]
    }

    private func writer(_ name: String, _ topic: String, _ type: VectorGroupType, _ section: String) -> CaseWriter {
        CaseWriter("framing/" + name, topic: "framing-" + topic, type: type, section: section, subject: subject)
    }

    private func varints() throws -> CaseWriter {
        let cases = writer("varint", "varint", .varint, "3.2")
        let edges: [(UInt64, String)] = [
            (0, "zero"), (1, "one"), (63, "the largest of one byte"), (64, "the least of two bytes"),
            (16_383, "the largest of two bytes"), (16_384, "the least of four bytes"),
            ((1 << 30) - 1, "the largest of four bytes"), (1 << 30, "the least of eight bytes"),
            ((1 << 53) - 1, "the largest file"), (VarInt.maximum, "the largest of all"),
        ]
        for (value, name) in edges { try cases.accept(name, ["R3.2-1"], ["bytes": .hex(WireBytes.varint(value))]) }
        let long: [(String, String)] = [
            ("zero in two bytes", "4000"), ("63 in two bytes", "403f"), ("zero in four bytes", "80000000"),
            ("63 in four bytes", "8000003f"), ("16,383 in four bytes", "80003fff"),
            ("zero in eight bytes", "c000000000000000"), ("2^30 − 1 in eight bytes", "c00000003fffffff"),
        ]
        for (name, bytes) in long {
            try cases.reject("malformed", "NonMinimalInteger", name, ["R3.2-1"], ["bytes": .string(bytes)])
        }
        for bytes in ["", "40", "8001", "800100", "c0000000400000"] {
            try cases.reject(
                "malformed", "Truncated", "\(bytes.count / 2) bytes of a longer form", ["R3.3-1"],
                ["bytes": .string(bytes)])
        }
        try cases.reject("malformed", "TrailingBytes", "a byte after the varint", ["R3.3-2"], ["bytes": "0000"])
        return cases
    }

    private func frames() throws -> CaseWriter {
        let cases = writer("frames", "frames", .frames, "6.3")
        func add(_ comment: String, _ bytes: [UInt8], _ requirements: [String] = ["R6.3-1"], _ flags: [String] = [])
            throws
        { try cases.accept(comment, requirements, flags: flags, ["plaintext": .hex(bytes)]) }
        let ready = WireBytes.frame(.ready)
        let message = WireBytes.frame(.message, [3] + Array("abc".utf8))
        try add("one frame with an empty payload", ready)
        try add("one frame", message)
        try add("two frames, in order", message + ready, ["R6.3-1", "R6.3-2"])
        try add("an unknown odd type", WireBytes.frame(0x21, [1, 2]), [], ["UnknownIgnorable"])
        try add("an unknown even type", WireBytes.frame(WireBytes.unknownEven, []), [], ["UnknownCritical"])
        try add("a GREASE type of two bytes", WireBytes.frame(0x5F, [0]), [], ["Grease"])
        try add("a type of eight bytes", WireBytes.frame(VarInt.maximum, [7]), [], ["UnknownIgnorable"])
        let largest = [UInt8](repeating: 0x5A, count: FrameType.maximumPayloadLength)
        try add("the longest payload", WireBytes.frame(.padding, largest))
        try malformedFrames(cases, message)
        return cases
    }

    private func malformedFrames(_ cases: CaseWriter, _ message: [UInt8]) throws {
        func refuse(_ flag: String, _ comment: String, _ bytes: [UInt8], _ requirements: [String]) throws {
            try cases.reject("malformed", flag, comment, requirements, ["plaintext": .hex(bytes)])
        }
        try refuse("Truncated", "a type without a length", [0x10], ["R6.3-1"])
        try refuse("Truncated", "half a type", [0x40], ["R6.3-1"])
        try refuse("LengthExceedsRest", "a frame that spans records", Array(message.dropLast()), ["R6.3-1", "R3.3-1"])
        try refuse("LengthExceedsRest", "a length of 2^62 − 1", [0x10] + WireBytes.varint(VarInt.maximum), ["R6.3-1"])
        try refuse(
            "LengthOutOfRange", "a payload that is one byte too long",
            WireBytes.frame(.padding, [UInt8](repeating: 0, count: 65_512)), ["R3.3-1"])
        try refuse("NonMinimalInteger", "a type in a longer form", [0x40, 0x10, 0x00], ["R3.2-1"])
        try refuse("NonMinimalInteger", "a length in a longer form", [0x10, 0x40, 0x00], ["R3.2-1"])
        try refuse(
            "Truncated", "a good frame before the faulty one is released", message + [0x10], ["R6.3-2"])
    }

    // MARK: Records

    private func streams() throws -> CaseWriter {
        let cases = writer("record-stream", "records", .recordStream, "6.2")
        let hello = WireBytes.record(0x01, samples.bytes(39, "hello"))
        let tagged = WireBytes.record(0x10, samples.bytes(40, "record"))
        cases.group(["receiver": "responder"])
        try add(cases, "magic and the shortest HELLO", Magic.bytes + hello, ["R6.1-1", "R6.2-1"])
        try add(
            cases, "magic and the longest HELLO", Magic.bytes + WireBytes.record(0x01, samples.bytes(4_096, "long")),
            ["R6.2-1"])
        try add(cases, "HELLO, then ENCRYPTED", Magic.bytes + hello + tagged, ["R6.2-2"])
        try magicFaults(cases)
        try kindFaults(cases, hello: hello)
        try lengthFaults(cases, hello: hello)
        try unfinished(cases, hello + tagged)
        try protectedStreams(cases, tagged)
        cases.group(["receiver": "initiator"])
        let refusal = WireBytes.record(0x02, [3, 0, 0])
        try add(cases, "magic and REFUSAL", Magic.bytes + refusal, ["R6.2-2"], flags: ["Refused"])
        try add(
            cases, "the longest REFUSAL", Magic.bytes + WireBytes.record(0x02, samples.bytes(256, "refusal")),
            ["R6.2-1"],
            flags: ["Refused"])
        try add(cases, "magic and HELLO", Magic.bytes + WireBytes.record(0x01, samples.bytes(58, "reply")), ["R6.2-2"])
        try refuse(
            cases, "malformed", "RecordLength", "REFUSAL of 2 bytes", Magic.bytes + [0x02, 0, 2], ["R6.2-1"])
        try refuse(
            cases, "malformed", "RecordLength", "REFUSAL of 257 bytes", Magic.bytes + [0x02, 1, 1], ["R6.2-1"])
        try refuse(
            cases, "unexpected_record", "RecordOutOfOrder", "ENCRYPTED before the hello", Magic.bytes + [0x10],
            ["R6.2-2"])
        try refuse(
            cases, "unexpected_record", "RecordOutOfOrder", "a second HELLO",
            Magic.bytes + WireBytes.record(0x01, samples.bytes(58, "reply")) + [0x01], ["R6.2-2"])
        return cases
    }

    private func inputs(_ bytes: [UInt8], _ opening: String, _ limits: [String: Int] = [:]) -> JSONValue {
        .object(
            ["bytes": .hex(bytes), "opening": .string(opening)].merging(
                limits.mapValues(JSONValue.integer)
            ) { own, _ in own })
    }

    private func add(
        _ cases: CaseWriter, _ comment: String, _ bytes: [UInt8], _ requirements: [String], flags: [String] = [],
        opening: String = "hello", _ limits: [String: Int] = [:], section: String? = nil
    ) throws {
        try cases.accept(comment, requirements, flags: flags, section: section, inputs(bytes, opening, limits))
    }

    private func refuse(
        _ cases: CaseWriter, _ code: String, _ flag: String, _ comment: String, _ bytes: [UInt8],
        _ requirements: [String], opening: String = "hello", _ limits: [String: Int] = [:], section: String? = nil
    ) throws {
        try cases.reject(
            code, flag, comment, requirements, section: section, inputs(bytes, opening, limits))
    }

    private func magicFaults(_ cases: CaseWriter) throws {
        for index in Magic.bytes.indices {
            var magic = Magic.bytes
            magic[index] ^= 0x20
            try refuse(
                cases, "malformed", "WrongMagic", "byte \(index) of the magic differs", magic, ["R6.1-1"],
                section: "6.1")
        }
        try refuse(
            cases, "malformed", "WrongMagic", "the magic after line-end translation",
            Array("MPEER\n\0".utf8) + [0], ["R6.1-1"], section: "6.1")
        try refuse(
            cases, "malformed", "WrongMagic", "an HTTP request", Array("GET / HTTP/1.1\r\n".utf8), ["R6.1-1"],
            section: "6.1")
        try refuse(
            cases, "malformed", "WrongMagic", "a TLS hello", [0x16, 3, 1, 2, 0, 1], ["R6.1-1"], section: "6.1")
        try refuse(
            cases, "malformed", "WrongMagic", "a fault at the first byte, more bytes behind it",
            [0] + Magic.bytes, ["R6.1-1"], section: "6.1")
    }

    private func kindFaults(_ cases: CaseWriter, hello: [UInt8]) throws {
        for kind in [0x00, 0x03, 0x0F, 0x12, 0x17, 0xFF] as [UInt8] {
            try refuse(
                cases, "malformed", "UnknownRecordKind", "kind \(kind) as the first record", Magic.bytes + [kind],
                ["R6.2-1"])
        }
        try refuse(
            cases, "malformed", "UnknownRecordKind", "kind 18 after HELLO", Magic.bytes + hello + [0x12], ["R6.2-1"])
        for (kind, name) in [(0x02, "REFUSAL"), (0x10, "ENCRYPTED"), (0x11, "AUTHENTICATED")] as [(UInt8, String)] {
            try refuse(
                cases, "unexpected_record", "RecordOutOfOrder", "\(name) as the initiator's first record",
                Magic.bytes + [kind], ["R6.2-2"])
        }
        try refuse(
            cases, "unexpected_record", "RecordOutOfOrder", "a second HELLO", Magic.bytes + hello + [0x01],
            ["R6.2-2"])
        try refuse(
            cases, "unexpected_record", "RecordOutOfOrder", "REFUSAL after HELLO", Magic.bytes + hello + [0x02],
            ["R6.2-2", "R7.5-1"])
    }

    private func lengthFaults(_ cases: CaseWriter, hello: [UInt8]) throws {
        let lengths: [(UInt8, Int, Bool, String)] = [
            (0x01, 0, false, "HELLO of no bytes"), (0x01, 38, false, "HELLO of 38 bytes"),
            (0x01, 4_097, false, "HELLO of 4,097 bytes"), (0x01, 65_535, false, "HELLO of 65,535 bytes"),
            (0x10, 0, true, "ENCRYPTED of no bytes"), (0x10, 16, true, "ENCRYPTED of a tag alone"),
            (0x10, 17, true, "ENCRYPTED of 17 bytes"), (0x10, 65_533, true, "ENCRYPTED of 65,533 bytes"),
            (0x11, 17, true, "AUTHENTICATED of 17 bytes"), (0x11, 65_535, true, "AUTHENTICATED of 65,535 bytes"),
        ]
        for (kind, length, isLater, name) in lengths {
            let header = [kind] + WireBytes.u16(UInt16(length))
            try refuse(
                cases, "malformed", "RecordLength", name, Magic.bytes + (isLater ? hello : []) + header, ["R6.2-1"])
        }
    }

    private func unfinished(_ cases: CaseWriter, _ records: [UInt8]) throws {
        let stream = Magic.bytes + records
        for (length, name) in [
            (0, "nothing"), (5, "a part of the magic"), (8, "the magic alone"), (9, "a kind"), (10, "half a length"),
            (11, "a header"), (30, "a part of HELLO"), (stream.count - 1, "all but the last byte of the second record"),
        ] {
            try cases.incomplete(name, ["R6.2-1"], inputs(Array(stream.prefix(length)), "hello"))
        }
    }

    private func protectedStreams(_ cases: CaseWriter, _ tagged: [UInt8]) throws {
        let readable = WireBytes.record(0x11, samples.bytes(18, "readable"))
        try add(
            cases, "three records, two kinds", tagged + readable + tagged, ["R6.2-2"], opening: "protected")
        try add(
            cases, "the shortest record", WireBytes.record(0x10, samples.bytes(18, "short")), ["R6.2-1"],
            opening: "protected")
        try add(
            cases, "the longest record", WireBytes.record(0x10, samples.bytes(65_532, "longest")), ["R6.2-1"],
            opening: "protected")
        let edge = WireBytes.record(0x10, samples.bytes(1_021, "edge"))
        try add(
            cases, "1,024 bytes before the proof", edge, ["R19-2"], opening: "protected",
            ["maximumRecordLength": 1_024], section: "19")
        try refuse(
            cases, "limit_exceeded", "ExceedsLimit", "1,025 bytes before the proof, found in the header",
            [0x10] + WireBytes.u16(1_022), ["R19-2"], opening: "protected", ["maximumRecordLength": 1_024],
            section: "19")
        try add(
            cases, "exactly as many bytes as are allowed before the link is open", tagged + tagged, ["R19-1"],
            opening: "protected", ["allowance": 86], section: "19")
        try refuse(
            cases, "limit_exceeded", "ExceedsLimit", "one byte more than is allowed, found in the second header",
            tagged + Array(tagged.prefix(3)), ["R19-1"], opening: "protected", ["allowance": 85], section: "19")
        try refuse(
            cases, "malformed", "Precedence", "a length out of range comes before a limit", [0x10, 0, 17],
            ["R18-1"], opening: "protected", ["allowance": 10], section: "18")
        try refuse(
            cases, "malformed", "UnknownRecordKind", "a good record before the faulty one is released",
            tagged + [0x13, 0, 40], ["R6.2-1"], opening: "protected")
        try refuse(
            cases, "unexpected_record", "RecordOutOfOrder", "HELLO among protected records", tagged + [0x01],
            ["R6.2-2"], opening: "protected")
    }
}
