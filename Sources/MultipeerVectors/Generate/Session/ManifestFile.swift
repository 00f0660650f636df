internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// `payloads/manifest`: SPEC §15.8.
struct ManifestFile {
    let subject: SwiftSubject

    private struct Member {
        var type: UInt8 = 0
        var size: UInt64 = 0
        var modified: UInt64 = 0
        var path: [UInt8]

        init(_ path: String, type: UInt8 = 0, size: UInt64 = 0, modified: UInt64 = 0) {
            (self.type, self.size, self.modified, self.path) = (type, size, modified, Array(path.utf8))
        }

        var bytes: [UInt8] { [type] + WireBytes.varint(size) + WireBytes.varint(modified) + WireBytes.vector(path) }
    }

    private func inputs(_ manifest: [UInt8], size: UInt64) -> JSONValue {
        ["manifest": .hex(manifest), "size": .wide(size)]
    }

    /// The offer's size follows from the members, unless something is added.
    private func inputs(_ members: [Member], plus: Int64 = 0) -> JSONValue {
        let manifest = members.flatMap(\.bytes)
        let total = members.reduce(UInt64(manifest.count)) { $0 + $1.size }
        return inputs(manifest, size: UInt64(Int64(total) + plus))
    }

    func write() throws -> CaseWriter {
        let cases = CaseWriter(
            "payloads/manifest", topic: "payloads-manifest", type: .manifest, section: "15.8", subject: subject)
        cases.group()
        try good(cases)
        try names(cases)
        try paths(cases)
        try order(cases)
        try sizes(cases)
        try units(cases)
        return cases
    }

    private func accept(_ cases: CaseWriter, _ comment: String, _ members: [Member]) throws {
        try cases.accept(comment, ["R15.8-1", "R15.8-2"], inputs(members))
    }

    private func refuse(_ cases: CaseWriter, _ flag: String, _ comment: String, _ inputs: JSONValue) throws {
        try cases.drop("bad_manifest", flag, comment, ["R15.8-1"], inputs)
    }

    private func good(_ cases: CaseWriter) throws {
        try accept(cases, "an empty folder", [])
        try accept(cases, "one file", [Member("a.txt", size: 5, modified: 1_700_000_000)])
        try accept(
            cases, "a folder with a program, as in appendix B.4",
            [Member("bin", type: 2), Member("bin/run", type: 1, size: 3, modified: 1_700_000_000)])
        try accept(cases, "folders that only serve paths are not named", [Member("a/b/c/d.txt", size: 1)])
        try accept(
            cases, "nested, with empty folders",
            [Member("a", type: 2), Member("a/b", type: 2), Member("a/c"), Member("d", type: 2)])
        try accept(
            cases, "paths are compared as bytes: a full stop comes before the separator",
            [Member("a", type: 2), Member("a.txt"), Member("a/b"), Member("ab")])
        try accept(cases, "capitals come first", [Member("B"), Member("a")])
        try accept(cases, "a folder with a time", [Member("a", type: 2, modified: 9)])
        try accept(cases, "32 parts", [Member((0..<32).map { _ in "p" }.joined(separator: "/"))])
        try accept(cases, "a part of 255 bytes", [Member(String(repeating: "x", count: 255))])
        let long = [String](repeating: String(repeating: "x", count: 204), count: 5).joined(separator: "/")
        try accept(cases, "a path of 1,024 bytes", [Member(long)])
        try accept(
            cases, "a folder named as the offer within it", [Member("src", type: 2), Member("src/run", type: 1)])
        try accept(cases, "the largest size of all", [Member("a", size: (1 << 53) - 1 - 12)])
        try accept(cases, "the latest time", [Member("a", modified: VarInt.maximum)])
    }

    /// Local names (R15.8-2).
    private func names(_ cases: CaseWriter) throws {
        try accept(cases, "a backslash is a letter", [Member("a\\b"), Member("c\\d/e")])
        try accept(cases, "reserved characters", [Member("a:b*c?d\"e<f>g|h")])
        try accept(cases, "names of devices", [Member("CON"), Member("aux/nul.txt"), Member("com1/x")])
        try accept(cases, "spaces and full stops at the ends", [Member(" a. / b"), Member(".profile")])
        try accept(cases, "three full stops", [Member("...")])
        try accept(cases, "controls and overrides", [Member("a\u{202E}b/c\nd")])
        try accept(
            cases, "a part of 255 bytes with an ending stays", [Member(String(repeating: "y", count: 250) + ".txt")])
        try accept(cases, "a name and the same one without its full stop", [Member(".env"), Member("env")])
        try accept(cases, "one letter in two forms", [Member("e\u{301}"), Member("\u{E9}")])
        try accept(cases, "only spaces", [Member("  ")])
        try accept(
            cases, "two parts that become one: the second gets another name",
            [Member("a\u{1}"), Member("a\u{2}"), Member("b")])
        try accept(
            cases, "what lies below such a part goes with it",
            [Member("a\u{1}/1"), Member("a\u{1}/2"), Member("a\u{2}/1"), Member("b")])
        try accept(
            cases, "nothing gets the name that another part has, whichever comes first",
            [Member("\u{1}a"), Member("a"), Member("a\u{1}")])
        try accept(cases, "equal but for ASCII case", [Member("A"), Member("B/x"), Member("a/b"), Member("b/x")])
        try accept(cases, "the same name in two folders", [Member("a/x\u{1}"), Member("b/x\u{1}")])
    }

    private func paths(_ cases: CaseWriter) throws {
        let bad: [(String, String, String)] = [
            ("BadPath", "a separator at the beginning", "/a"), ("BadPath", "a separator at the end", "a/"),
            ("BadPath", "two separators", "a//b"), ("BadPath", "a part .", "."),
            ("BadPath", "a part . within", "a/./b"),
            ("BadPath", "a part ..", ".."), ("BadPath", "a part .. within", "a/../b"),
            ("BadPath", "a part .. at the end", "a/.."),
            ("LengthOutOfRange", "33 parts", (0..<33).map { _ in "p" }.joined(separator: "/")),
            ("LengthOutOfRange", "a part of 256 bytes", String(repeating: "x", count: 256)),
            ("LengthOutOfRange", "no path", ""),
        ]
        for (flag, comment, path) in bad { try refuse(cases, flag, comment, inputs([Member(path)])) }
        let long = [String](repeating: String(repeating: "x", count: 204), count: 4).joined(separator: "/") + "/"
        try refuse(
            cases, "LengthOutOfRange", "a path of 1,025 bytes",
            inputs([Member(long + String(repeating: "x", count: 205))]))
        var member = Member("")
        for (comment, path) in [
            ("a path that is not UTF-8", [0x61, 0xFF]), ("a surrogate in a path", [0xED, 0xA0, 0x80]),
            ("an overlong separator", [0xC0, 0xAF]),
        ] as [(String, [UInt8])] {
            member.path = path
            try refuse(cases, "IllFormedText", comment, inputs([member]))
        }
    }

    private func order(_ cases: CaseWriter) throws {
        try refuse(cases, "NotAscending", "paths descend", inputs([Member("b"), Member("a")]))
        try refuse(cases, "Duplicate", "a path twice", inputs([Member("a"), Member("a")]))
        try refuse(cases, "Duplicate", "a folder and a file of one path", inputs([Member("a", type: 2), Member("a")]))
        try refuse(cases, "NotAscending", "not by parts, but by bytes", inputs([Member("a/b"), Member("a.txt")]))
        try refuse(cases, "BelowFile", "a path below a file", inputs([Member("a"), Member("a/b")]))
        try refuse(
            cases, "BelowFile", "a path below a file that does not stand next to it",
            inputs([Member("a"), Member("a!"), Member("a/b")]))
        try refuse(
            cases, "BelowFile", "a path far below a program", inputs([Member("a/b", type: 1), Member("a/b/c/d")]))
        let whole = Member("a", type: 0, size: 3).bytes
        for (comment, count) in [("no path", 3), ("half a path", 4), ("a type alone", 1)] {
            try refuse(
                cases, "Truncated", comment, inputs(Array(whole.prefix(count)), size: UInt64(count)))
        }
        try refuse(cases, "NonMinimalInteger", "a size in a longer form", inputs([0, 0x40, 0, 0, 1, 0x61], size: 6))
        for type in [3, 255] as [UInt8] {
            try refuse(cases, "UnknownCritical", "type \(type)", inputs([Member("a", type: type)]))
        }
        try refuse(cases, "ValueOutOfRange", "a folder with a size", inputs([Member("a", type: 2, size: 1)]))
        try deep(cases)
    }

    /// More folders than 65,536, of few members: each path goes through 31 new ones.
    private func deep(_ cases: CaseWriter) throws {
        func members(_ count: Int) -> [Member] {
            let rest = [String](repeating: "f", count: 31).joined(separator: "/")
            return (0..<count).map { Member(Self.number($0) + "/" + rest) }
        }
        // 2,114 × 31 = 65,534; the next one goes beyond.
        try refuse(cases, "ExceedsLimit", "through 65,565 folders", inputs(members(2_115)))
    }

    /// Four letters that ascend.
    private static func number(_ value: Int) -> String {
        String(decoding: [1_000, 100, 10, 1].map { UInt8(ascii: "0") + UInt8(value / $0 % 10) }, as: UTF8.self)
    }

    /// Paths and their lengths are of bytes, and of no other unit.
    private func units(_ cases: CaseWriter) throws {
        let (wide, emoji) = (Member("\u{FF41}"), Member("\u{1F600}"))
        try accept(cases, "paths are compared as bytes, and not as units of UTF-16", [wide, emoji])
        try refuse(cases, "NotAscending", "paths that ascend as units of UTF-16", inputs([emoji, wide]))
        let letters = { (count: Int) in String(repeating: "\u{E9}", count: count) }
        try accept(cases, "a part of 127 letters and 254 bytes", [Member(letters(127))])
        try refuse(
            cases, "LengthOutOfRange", "a part of 128 letters and 256 bytes", inputs([Member(letters(128))]))
    }

    private func sizes(_ cases: CaseWriter) throws {
        let members = [Member("a", size: 5), Member("b", size: 7)]
        try refuse(cases, "WrongSum", "the offer is a byte longer", inputs(members, plus: 1))
        try refuse(cases, "WrongSum", "the offer is a byte shorter", inputs(members, plus: -1))
        try refuse(cases, "WrongSum", "an empty manifest of an offer of a byte", inputs([], size: 1))
        try refuse(
            cases, "WrongSum", "a member larger than the offer",
            inputs(Member("a", size: VarInt.maximum).bytes, size: 1 << 20))
        let largest = (0..<5).flatMap { Member(Self.number($0), size: VarInt.maximum).bytes }
        try refuse(cases, "WrongSum", "sizes whose sum exceeds 64 bits", inputs(largest, size: (1 << 53) - 1))
        // Modulo 2^64 these are right.
        var wrap = (0..<4).flatMap { Member(Self.number($0), size: VarInt.maximum).bytes }
        let rest = Member(Self.number(4), size: 4)
        wrap += rest.bytes
        try refuse(cases, "WrongSum", "sizes whose sum is right modulo 2^64", inputs(wrap, size: UInt64(wrap.count)))
    }
}
