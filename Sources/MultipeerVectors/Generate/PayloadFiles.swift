internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `payloads/`: SPEC §15, §16.1.
struct PayloadFiles {
    let subject: SwiftSubject
    var samples: Samples { Samples(crypto: subject.crypto) }

    func all() throws -> [(name: String, file: VectorFile)] {
        [
            try controlFrames().file(), try payloadFrames().file(), try FileNameCases(subject: subject).cases().file(),
            try assembly().file(),
        ]
    }

    private func controlFrames() throws -> CaseWriter {
        let writer = CaseWriter(
            "payloads/control-frames", topic: "payloads-control", type: .controlFrame, section: "15.3",
            subject: subject)
        let cases = FrameCases(writer)
        try offer(cases)
        try accept(cases)
        cases.begin("FILE_DONE", section: "15.3")
        try cases.accept("id 0", [], [0, 0])
        try cases.accept("the largest id", [], WireBytes.varint(VarInt.maximum) + [0])
        try cases.refuse("Truncated", "no id", ["R3.3-1"], [])
        try cases.refuse("NonMinimalInteger", "an id in a longer form", ["R3.2-1"], [0x40, 0, 0])
        try cases.fieldLists([5])
        try cancel(cases)
        cases.begin("FILE_END", section: "15.3")
        let digest = samples.bytes32("digest")
        try cases.accept("id and hash", [], [3] + digest + [0])
        try cases.refuse("Truncated", "31 bytes of hash", ["R3.3-1"], [3] + digest.dropLast())
        try cases.fieldLists([3] + digest)
        try close(cases)
        cases.begin("REKEY", section: "12.6")
        try cases.fieldLists([])
        cases.begin("FILE_DONE", section: "15.5")
        for (comment, fields) in [
            ("field 0x07, an identical file was kept", WireBytes.field(7, [])),
            (
                "a field before 0x07 and one after it",
                WireBytes.field(1, [9]) + WireBytes.field(7, []) + WireBytes.field(9, [])
            ),
        ] { try cases.accept(comment, ["R3.4-2"], flags: ["UnknownIgnorable"], [5] + WireBytes.vector(fields)) }
        return writer
    }

    private func cancel(_ cases: FrameCases) throws {
        cases.begin("FILE_CANCEL", section: "15.3")
        for reason in 1...13 as ClosedRange<UInt8> {
            try cases.accept("reason \(reason)", ["R15.4-1"], [2, reason, 0])
        }
        try cases.accept("an odd id", ["R15.4-1"], section: "15.4", [3, 2, 0])
        try cases.accept("an id of two bytes", ["R15.4-1"], WireBytes.varint(5_000) + [2, 0])
        for reason in [0, 14, 0x7F, 0x81, 0xFF] as [UInt8] {
            try cases.accept(
                "reason \(reason) is unknown: no bit of it says whose file it is", ["R15.4-1"], flags: ["Normalized"],
                [2, reason, 0])
        }
        try cases.refuse("Truncated", "no reason", ["R3.3-1"], [2])
        try cases.fieldLists([2, 1])
    }

    private func close(_ cases: FrameCases) throws {
        cases.begin("CLOSE", section: "16.1")
        for (code, name) in [
            (0, "no_error"), (1, "malformed"), (0x15, "verdict_timeout"), (0x20, "shutting_down"), (0x23, "moved"),
            (0x24, "credit_exceeded"), (0x25, "silent"), (0x26, "entry_invalid"),
        ] as [(UInt8, String)] { try cases.accept(name, ["R16.1-4"], [code, 0]) }
        for (name, code) in [
            ("an unknown code", 0x3F), ("a private code", 0x4001), ("the largest code", VarInt.maximum),
        ] as [(String, UInt64)] {
            try cases.accept(name, ["R16.1-4"], flags: ["UnknownValue"], WireBytes.varint(code) + [0])
        }
        try cases.refuse("Truncated", "no code", ["R3.3-1"], [])
        try cases.refuse("NonMinimalInteger", "a code in a longer form", ["R3.2-1"], [0x40, 0, 0])
        try cases.fieldLists([0x20])
    }

    private func payloadFrames() throws -> CaseWriter {
        let writer = CaseWriter(
            "payloads/payload-frames", topic: "payloads-frames", type: .payloadFrame, section: "15.1",
            subject: subject)
        let cases = FrameCases(writer)
        cases.begin("MESSAGE", section: "15.1")
        try cases.accept("a whole message", ["R15.1-1"], [3, 1, 2, 3])
        try cases.accept("the first byte of a long message", ["R15.1-1"], WireBytes.varint(1_000_000) + [1])
        try cases.accept("an empty message", ["R15.1-1"], [0])
        try cases.accept("the largest total", ["R15.1-4"], WireBytes.varint(VarInt.maximum) + [1])
        try cases.refuse("EmptyData", "no data, and total is 1", ["R15.1-1"], [1])
        try cases.refuse("ExcessData", "more data than total", ["R15.1-1"], [2, 1, 2, 3])
        try cases.refuse("ExcessData", "data in an empty message", ["R15.1-1"], [0, 1])
        try cases.refuse("Truncated", "no total", ["R3.3-1"], [])
        try cases.refuse("NonMinimalInteger", "a total in a longer form", ["R3.2-1"], [0x40, 1, 1])
        cases.begin("MESSAGE_PART", section: "15.1")
        try cases.accept("a byte", ["R15.1-1"], [9])
        try cases.accept("some bytes", ["R15.1-1"], samples.bytes(40, "part"))
        try cases.refuse("EmptyData", "no data", ["R15.1-1"], [])
        cases.begin("FILE_DATA", section: "15.3")
        try cases.accept("the beginning of a file", ["R15.3-3"], [0, 0, 1, 2, 3])
        try cases.accept("far into a large file", ["R15.3-3"], [5] + WireBytes.varint(1 << 40) + [7])
        try cases.refuse("EmptyData", "no data", ["R15.3-3"], [0, 0])
        try cases.refuse("Truncated", "no offset", ["R3.3-1"], [0])
        try cases.refuse("NonMinimalInteger", "an offset in a longer form", ["R3.2-1"], [0, 0x40, 0, 1])
        cases.begin("STREAM_DATA", section: "15.6")
        try cases.accept("a byte", ["R15.6-2"], [0, 1])
        try cases.accept(
            "some bytes of the largest number", ["R15.6-2"],
            WireBytes.varint(VarInt.maximum) + samples.bytes(40, "part"))
        try cases.refuse("EmptyData", "no data", ["R15.6-2"], [0])
        try cases.refuse("Truncated", "no number", ["R3.3-1"], [])
        try cases.refuse("NonMinimalInteger", "a number in a longer form", ["R3.2-1"], [0x40, 0, 1])
        return writer
    }

    private func assembly() throws -> CaseWriter {
        let cases = CaseWriter(
            "payloads/message-assembly", topic: "payloads-assembly", type: .messageAssembly, section: "15.1",
            subject: subject)
        func frames(_ frames: [(FrameType, [UInt8])]) -> JSONValue {
            [
                "frames": .array(
                    frames.map { ["type": .wide($0.0.rawValue), "payload": .hex($0.1)] })
            ]
        }
        cases.group(["maximumMessage": 16])
        let first = (FrameType.message, [6, 1, 2] as [UInt8])
        let part = (FrameType.messagePart, [3, 4] as [UInt8])
        try cases.accept("a whole message", ["R15.1-1"], frames([(.message, [2, 1, 2])]))
        try cases.accept("an empty message", ["R15.1-1"], frames([(.message, [0])]))
        try cases.accept("three frames of one message", ["R15.1-1"], frames([first, part, part]))
        try cases.accept("two messages in order", ["R15.1-1"], frames([(.message, [1, 1]), (.message, [1, 2])]))
        try cases.accept("a message under way", ["R16.2-1"], frames([first, part]))
        try cases.accept(
            "the longest message", ["R15.1-3"], frames([(.message, [16] + samples.bytes(16, "sixteen"))]))
        func refuse(
            _ code: String, _ flag: String, _ comment: String, _ requirements: [String],
            _ list: [(FrameType, [UInt8])]
        ) throws { try cases.reject(code, flag, comment, requirements, frames(list)) }
        try refuse("unexpected_frame", "UnexpectedFrame", "a part without a beginning", ["R15.1-2"], [part])
        try refuse(
            "unexpected_frame", "UnexpectedFrame", "a second beginning", ["R15.1-2"], [first, (.message, [1, 1])])
        try refuse(
            "unexpected_frame", "UnexpectedFrame", "a part after the end; the message is released", ["R15.1-2"],
            [first, part, part, part])
        try refuse(
            "malformed", "ExcessData", "a part with more than the message lacks", ["R15.1-1"],
            [first, (.messagePart, [1, 2, 3, 4, 5])])
        try refuse("malformed", "EmptyData", "an empty part", ["R15.1-1"], [first, (.messagePart, [])])
        try refuse("malformed", "EmptyData", "an empty beginning", ["R15.1-1"], [(.message, [6])])
        try refuse(
            "limit_exceeded", "ExceedsLimit", "one byte more than maximumMessage", ["R15.1-3"], [(.message, [17, 1])])
        try refuse(
            "limit_exceeded", "ExceedsLimit", "a message of 2^62 − 1 bytes", ["R15.1-3", "R15.1-4"],
            [(.message, WireBytes.varint(VarInt.maximum) + [1])])
        try refuse(
            "limit_exceeded", "Precedence", "a total above the limit comes before missing data",
            ["R15.1-3", "R18-1"], [(.message, [17])])
        try refuse(
            "malformed", "Precedence", "a second beginning that is malformed: its fields come first",
            ["R15.1-1", "R18-1"], [first, (.message, [2, 1, 2, 3])])
        try refuse(
            "limit_exceeded", "Precedence", "a second beginning with a total above the limit: its fields come first",
            ["R15.1-2", "R15.1-3", "R18-1"], [first, (.message, [17, 1])])
        return cases
    }
}

/// `payloads/file-name`: SPEC §15.5.
struct FileNameCases {
    let subject: SwiftSubject

    private static let names: [(String, String)] = [
        ("a plain name", "picture.png"), ("spaces inside stay", "my picture.png"), ("a path", "a/b/c.txt"),
        ("a path upwards", "../../etc/passwd"), ("backslashes", "C:\\Windows\\win.ini"),
        ("mixed separators", "a\\b/c"), ("a separator at the end", "folder/"), ("one full stop", "."),
        ("two full stops", ".."), ("a hidden file", ".profile"), ("full stops and spaces around", " . .name. . "),
        ("only spaces", "   "), ("a full stop and spaces", ".  "), ("reserved characters", "a:b*c?d\"e<f>g|h"),
        ("a null", "a\0b.txt"),
        ("line ends", "a\r\nb"), ("bidirectional override", "photo\u{202E}gnp.exe"),
        ("a zero-width space stays", "a\u{200B}b"),
        ("CON", "CON"), ("con", "con"), ("con with an ending", "con.txt"), ("con with two endings", "con.tar.gz"),
        ("CON with spaces before the stop", "CON  .txt"), ("NUL in a path", "a/NUL"), ("aux after trimming", " aux. "),
        ("COM1", "com1.log"), ("COM0 is no device", "COM0"), ("COM10 is no device", "COM10"),
        ("LPT with a superscript two", "LPT\u{B2}.txt"), ("COM with a superscript one", "com\u{B9}"),
        ("CONIN$", "conin$"), ("CONOUT$ with an ending", "CONOUT$.x"), ("console is no device", "console"),
        ("a device behind a colon", "x:CON"), ("decomposed letters stay", "e\u{301}.txt"), ("emoji", "👩‍💻.png"),
        ("controls of C1", "a\u{85}b\u{9B}c"), ("a separator is a line separator", "a\u{2028}b"),
        ("a device after controls are gone", "C\u{01}ON"), ("full-width solidus is a letter", "a／b"),
        ("a full stop behind a separator", "a/."), ("tab", "a\tb"), ("DEL", "a\u{7F}b"),
    ]

    func cases() throws -> CaseWriter {
        let cases = CaseWriter(
            "payloads/file-name", topic: "payloads-file-name", type: .fileName, section: "15.5", subject: subject)
        for (comment, name) in Self.names { try add(cases, comment, name) }
        let x = { (count: Int) in String(repeating: "x", count: count) }
        try add(cases, "200 bytes stay", x(196) + ".txt")
        try add(cases, "201 bytes lose one before the ending", x(197) + ".txt")
        try add(cases, "255 bytes without an ending", x(255))
        try add(cases, "an ending of 32 bytes stays", x(200) + "." + x(31))
        try add(cases, "an ending of 33 bytes is cut", x(200) + "." + x(32))
        try add(cases, "letters of two bytes are cut whole", String(repeating: "é", count: 120))
        try add(cases, "letters of four bytes before an ending", String(repeating: "😀", count: 60) + ".png")
        try add(cases, "nothing before a long ending", "." + x(220))
        try add(cases, "spaces at the cut are removed", x(199) + " " + x(20))
        try add(cases, "a device that grows by the underscore", "con." + x(240))
        for (comment, bytes) in [
            ("a lone continuation byte", [0x61, 0x80]), ("an overlong solidus", [0xC0, 0xAF]),
            ("a surrogate", [0xED, 0xA0, 0x80]),
        ] as [(String, [UInt8])] {
            try cases.reject("malformed", "IllFormedText", comment, ["R15.5-1"], ["name": .hex(bytes)])
        }
        let spaces = { (count: Int) in String(repeating: " ", count: count) }
        try add(cases, "a cut leaves the name of a device", "CON" + spaces(198) + "x")
        try add(cases, "a cut leaves the name of a device of two bytes more", "Com1" + spaces(196) + "\u{E9}")
        try add(cases, "a cut leaves a device and an underscore", "_CON" + spaces(198) + "x")
        return cases
    }

    private func add(_ cases: CaseWriter, _ comment: String, _ name: String) throws {
        try cases.accept(comment, ["R15.5-2", "R15.5-3"], ["name": .hex(Array(name.utf8))])
    }
}
