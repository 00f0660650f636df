internal import MultipeerCrypto

/// `discovery/advertisement`: SPEC §23.2, as a reader sees it.
struct AdvertisementFile {
    let subject: SwiftSubject

    private static let version = "_v=1"
    private static let tag = "_k=00112233445566ff"

    func write() throws -> CaseWriter {
        let cases = CaseWriter(
            "discovery/advertisement", topic: "discovery-advertisement", type: .advertisement, section: "23.2",
            subject: subject)
        try tags(cases)
        try names(cases)
        try info(cases)
        try lengths(cases)
        try refused(cases)
        return cases
    }

    private func inputs(_ strings: [String], name: String = "Anna") -> JSONValue {
        inputs(strings.map { Array($0.utf8) }, name: Array(name.utf8))
    }

    private func inputs(_ strings: [[UInt8]], name: [UInt8]) -> JSONValue {
        ["instanceName": .hex(name), "strings": .array(strings.map(JSONValue.hex))]
    }

    private func tags(_ cases: CaseWriter) throws {
        for (comment, strings) in [
            ("the least", [Self.version, Self.tag]), ("a key in capitals", [Self.version, "_K=00112233445566ff"]),
            ("something before the tag", [Self.version, "room=4", Self.tag]),
            ("one tag twice: the first counts", [Self.version, Self.tag, "_k=ff66554433221100"]),
            ("and whatever the second is", [Self.version, Self.tag, "_K="]),
            ("another version behind the first", [Self.version, Self.tag, "_v=2"]),
            ("a key of the future", [Self.version, Self.tag, "_later=1"]),
        ] { try cases.accept(comment, ["R23.2-3", "R23.2-4"], inputs(strings)) }
        try cases.accept(
            "a private one shows no name", ["R23.3-1"],
            inputs([Self.version, "_r=00112233445566ff"], name: "00112233445566ff"))
        try cases.accept(
            "nor one that somebody adds", ["R23.3-1"], inputs([Self.version, "_r=00112233445566ff", "_n=Anna"]))
        let broken: [UInt8] = Array("_k=00112233445566f".utf8) + [0xFF]
        try cases.accept(
            "a tag that is no text does not count", ["R23.2-4"],
            inputs([Array(Self.version.utf8), broken, Array(Self.tag.utf8)], name: Array("Anna".utf8)))
        try cases.accept(
            "a letter that is K in lowercase alone is none", ["R23.2-4"],
            inputs([Self.version, "_\u{212A}=ff66554433221100", Self.tag]))
    }

    private func names(_ cases: CaseWriter) throws {
        let head = [Self.version, Self.tag]
        for (comment, name) in [
            ("a name of its own", "Ben"), ("63 bytes", String(repeating: "x", count: 63)),
            ("beyond ASCII", "J\u{F6}rg \u{1F44B}"), ("with an equals sign", "a=b"),
        ] {
            try cases.accept(comment, ["R23.2-5"], inputs(head + ["_n=\(name)"], name: "\(name.prefix(9)) (2)"))
            try cases.accept(comment + ", as the instance's", ["R23.2-5"], inputs(head, name: name))
        }
        try cases.accept("the first name counts", ["R23.2-4"], inputs(head + ["_n=Ben", "_N=Cleo"]))
        for (comment, name) in [
            ("no bytes", ""), ("64 bytes", String(repeating: "x", count: 64)), ("a line feed", "line\nline"),
            ("an escape sequence", "\u{1B}[31mred"), ("a mark that turns the direction", "a\u{202E}b"),
        ] {
            try cases.accept("a name that is none: " + comment, ["R23.2-5"], inputs(head + ["_n=\(name)"]))
            try cases.accept("and as the instance's: " + comment, ["R23.2-5"], inputs(head, name: name))
        }
        let bytes = head.map { Array($0.utf8) }
        try cases.accept("an instance name that is no UTF-8", ["R23.2-5"], inputs(bytes, name: [0x41, 0xFF]))
        try cases.accept(
            "a name that is no UTF-8 does not count", ["R23.2-4"],
            inputs(bytes + [Array("_n=".utf8) + [0xFF]], name: Array("Anna".utf8)))
    }

    private func info(_ cases: CaseWriter) throws {
        for (comment, strings) in [
            ("in the order of the strings", ["room=4", "level=2"]), ("no equals sign", ["flag"]),
            ("no value", ["flag="]),
            ("equals signs in the value", ["sum=a=b=c"]), ("the first of equal keys", ["room=4", "ROOM=5", "Room"]),
            ("an empty string", ["", "room=4"]), ("no key", ["=4", "=", "room=4"]),
            ("a key that is not allowed", ["ro\tom=4", "r\u{E4}um=4", "level=2"]),
            ("a key of 64 characters", [String(repeating: "k", count: 64) + "=4"]),
            ("a key of 65 characters", [String(repeating: "k", count: 65) + "=4", "room=4"]),
            (
                "more than 400 bytes",
                ["a=" + String(repeating: "v", count: 253), "b=" + String(repeating: "v", count: 253)]
            ),
        ] { try cases.accept(comment, ["R23.2-4"], inputs([Self.version, Self.tag] + strings)) }
        let head = [Self.version, Self.tag].map { Array($0.utf8) }
        for (comment, string) in [
            ("a value that is no UTF-8", Array("room=".utf8) + [0xC3]),
            ("a key that is no UTF-8", [0x72, 0xC3, 0x3D, 0x34]),
        ] {
            let strings = head + [string, Array("room=4".utf8)]
            try cases.accept(comment, ["R23.2-4"], inputs(strings, name: Array("Anna".utf8)))
        }
    }

    private func lengths(_ cases: CaseWriter) throws {
        let long = String(repeating: "x", count: 254)
        // Each string has a byte of length: 5, 20 and 5 times 255.
        let strings = [Self.version, Self.tag] + Array(repeating: long, count: 5)
        try cases.accept("1,300 bytes", ["R23.2-3"], inputs(strings))
        try cases.drop(
            "bad_advertisement", "LengthOutOfRange", "1,301 bytes", ["R23.2-3"], inputs(strings + [""]))
    }

    private func refused(_ cases: CaseWriter) throws {
        for (flag, comment, strings) in [
            ("MissingField", "nothing", []), ("MissingField", "no version", [Self.tag]),
            ("MissingField", "the version behind the tag", [Self.tag, Self.version]),
            ("MissingField", "an empty string in front", ["", Self.version, Self.tag]),
            ("ValueOutOfRange", "another version", ["_v=2", Self.tag]),
            ("ValueOutOfRange", "a version with a space", ["_v=1 ", Self.tag]),
            ("ValueOutOfRange", "the version's key in capitals", ["_V=1", Self.tag]),
            ("MissingField", "no tag", [Self.version]), ("MissingField", "no value of the tag", [Self.version, "_k"]),
            ("LengthOutOfRange", "an empty tag", [Self.version, "_k="]),
            ("LengthOutOfRange", "15 digits", [Self.version, "_k=00112233445566f"]),
            ("LengthOutOfRange", "18 digits", [Self.version, "_k=0011223344556677ff"]),
            ("IllFormedText", "capital digits", [Self.version, "_k=00112233445566FF"]),
            ("IllFormedText", "a letter that is no digit", [Self.version, "_k=00112233445566fg"]),
            ("IllFormedText", "a space behind the digits", [Self.version, Self.tag + " "]),
            ("Duplicate", "both tags", [Self.version, Self.tag, "_r=00112233445566ff"]),
            ("Duplicate", "both tags, one of them empty", [Self.version, Self.tag, "_r"]),
            ("MissingField", "a letter that is K in lowercase alone", [Self.version, "_\u{212A}=00112233445566ff"]),
        ] { try cases.drop("bad_advertisement", flag, comment, ["R23.2-3"], inputs(strings)) }
        let broken: [UInt8] = Array("_k=00112233445566f".utf8) + [0xFF]
        try cases.drop(
            "bad_advertisement", "IllFormedText", "a tag that is no text", ["R23.2-3", "R23.2-4"],
            inputs([Array(Self.version.utf8), broken], name: Array("Anna".utf8)))
    }
}
