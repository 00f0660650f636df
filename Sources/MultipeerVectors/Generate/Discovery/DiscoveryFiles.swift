internal import MultipeerCrypto

/// `discovery/`: SPEC §23.1 to §23.3.
struct DiscoveryFiles {
    let subject: SwiftSubject
    private var samples: Samples { Samples(crypto: subject.crypto) }

    func all() throws -> [(name: String, file: VectorFile)] {
        [try AdvertisementFile(subject: subject).write().file(), try publication().file()]
    }

    // MARK: What is said

    private struct Said {
        var service = "chat"
        var name = "Anna"
        var attempt = 1
        var isPrivate = false
        var info: [[UInt8]] = []
        var identity = "anna"

        init(_ change: (inout Said) -> Void = { _ in }) { change(&self) }
    }

    private func publication() throws -> CaseWriter {
        let cases = CaseWriter(
            "discovery/publication", topic: "discovery-publication", type: .publication, section: "23.2",
            subject: subject)
        try services(cases)
        try names(cases)
        try info(cases)
        try hidden(cases)
        return cases
    }

    private func inputs(_ said: Said) -> JSONValue {
        [
            "service": .hex(Array(said.service.utf8)), "identityKey": .hex(samples.bytes32(said.identity)),
            "random": .hex(Array(samples.bytes32("random tag").prefix(8))), "private": .bool(said.isPrivate),
            "name": .hex(Array(said.name.utf8)), "attempt": .integer(said.attempt),
            "info": .array(said.info.map(JSONValue.hex)),
        ]
    }

    private func refuse(
        _ cases: CaseWriter, _ flag: String, _ comment: String, _ requirement: String, _ change: (inout Said) -> Void
    ) throws {
        try cases.drop("bad_advertisement", flag, comment, [requirement], inputs(Said(change)))
    }

    private func services(_ cases: CaseWriter) throws {
        for (comment, label) in [
            ("the tool's service", "multipeer"), ("one letter", "a"), ("a digit in front", "1a"),
            ("a hyphen inside", "my-chat"), ("15 characters", "0123456789-ab-c"),
        ] { try cases.accept(comment, ["R23.1-1", "R23.2-1"], inputs(Said { $0.service = label })) }
        for (flag, comment, label) in [
            ("LengthOutOfRange", "no label", ""), ("LengthOutOfRange", "16 characters", "0123456789abcdef"),
            ("MissingField", "digits alone", "123"), ("MissingField", "digits and a hyphen", "1-2"),
            ("IllFormedText", "a hyphen in front", "-chat"), ("IllFormedText", "a hyphen at the end", "chat-"),
            ("IllFormedText", "two hyphens in a row", "my--chat"), ("IllFormedText", "a capital", "Chat"),
            ("IllFormedText", "an underscore", "_chat"), ("IllFormedText", "a space", "my chat"),
            ("IllFormedText", "a full stop", "chat."), ("IllFormedText", "a letter beyond ASCII", "ch\u{E4}t"),
            ("IllFormedText", "a zero byte", "chat\u{0}"), ("IllFormedText", "a line feed", "chat\n"),
        ] { try refuse(cases, flag, comment, "R23.1-1") { $0.service = label } }
    }

    private func names(_ cases: CaseWriter) throws {
        let shown = ["R23.2-1"]
        try cases.accept("the name is taken", shown, inputs(Said { $0.attempt = 2 }))
        try cases.accept("a hundred names are taken", shown, inputs(Said { $0.attempt = 100 }))
        try cases.accept("another key", shown, inputs(Said { $0.identity = "ben" }))
        for (comment, name) in [
            ("59 bytes", String(repeating: "x", count: 59)), ("60 bytes", String(repeating: "x", count: 60)),
            ("63 bytes", String(repeating: "x", count: 63)),
            ("63 bytes, cut in a character of two", String(repeating: "\u{E4}", count: 31) + "x"),
            ("60 bytes, cut in a character of four", String(repeating: "\u{1F44B}", count: 15)),
            ("a name with a number", "Anna (2)"), ("a name with an equals sign", "a=b"),
        ] {
            for attempt in [1, 2] {
                let said = Said { ($0.name, $0.attempt) = (name, attempt) }
                try cases.accept(comment + (attempt == 1 ? "" : ", which is taken"), shown, inputs(said))
            }
        }
        for (flag, comment, name) in [
            ("LengthOutOfRange", "no name", ""), ("LengthOutOfRange", "64 bytes", String(repeating: "x", count: 64)),
            ("IllFormedText", "a line feed in the name", "An\nna"),
        ] { try refuse(cases, flag, comment, "R23.2-1") { $0.name = name } }
    }

    private func info(_ cases: CaseWriter) throws {
        func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }
        let full = ["a=" + String(repeating: "v", count: 253), "b=" + String(repeating: "v", count: 141)]
        for (comment, texts) in [
            ("two pairs", ["room=4", "seats=3"]), ("out of order", ["room=4", "Level=2"]), ("no value", ["room="]),
            ("equals signs in the value", ["sum=a=b=c"]), ("the shortest key", ["r=4"]),
            ("a key of 64 characters", [String(repeating: "k", count: 64) + "=4"]),
            ("all kinds of characters in the key", [" !\"#$%&'()*+,-./:;<>?@[\\]^_`{|}~=4"]),
            ("a value beyond ASCII", ["place=K\u{F6}ln \u{1F44B}"]), ("a value with a line feed", ["text=a\nb"]),
            ("255 bytes", [full[0]]), ("400 bytes in all", full),
        ] { try cases.accept(comment, ["R23.2-1", "R23.2-2"], inputs(Said { $0.info = bytes(texts) })) }
        for (flag, comment, texts) in [
            ("LengthOutOfRange", "no key", ["=4"]),
            ("LengthOutOfRange", "a key of 65 characters", [String(repeating: "k", count: 65) + "=4"]),
            ("LengthOutOfRange", "256 bytes", [full[0] + "v"]),
            ("LengthOutOfRange", "401 bytes", [full[0], full[1] + "v"]),
            ("MissingField", "no equals sign", ["room"]), ("IllFormedText", "an underscore in front", ["_room=4"]),
            ("IllFormedText", "a key beyond ASCII", ["r\u{E4}um=4"]),
            ("IllFormedText", "a tab in the key", ["ro\tom=4"]),
            ("Duplicate", "one key twice", ["room=4", "room=5"]),
            ("Duplicate", "keys that differ in case alone", ["room=4", "ROOM=5"]),
        ] { try refuse(cases, flag, comment, "R23.2-2") { $0.info = bytes(texts) } }
        try refuse(cases, "IllFormedText", "a value that is no UTF-8", "R23.2-2") {
            $0.info = [Array("room=".utf8) + [0xFF]]
        }
    }

    private func hidden(_ cases: CaseWriter) throws {
        var said = Said { $0.isPrivate = true }
        try cases.accept("private", ["R23.3-1"], inputs(said))
        said.info = [Array("room=4".utf8)]
        try cases.accept("private, with info", ["R23.3-1"], inputs(said))
    }
}
