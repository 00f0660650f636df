import MultipeerCore
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Names of files, SPEC §15.5")
struct FileNameTests {
    static let long = String(repeating: "a", count: 300)

    static let table: [(String, String)] = [
        ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"),
        ("C:\\Windows\\system32\\cmd.exe", "cmd.exe"), ("a/b\\c", "c"), ("a\\b/c", "c"), ("dir/", "file"),
        ("..", "file"), (".", "file"), ("...", "file"), ("", "file"), (" ", "file"), (" . . ", "file"),
        ("\u{0}", "file"), ("a\u{0}b", "ab"), ("a\nb\r\t", "ab"), ("\u{7F}x\u{9F}", "x"),
        ("\u{202E}gpj.exe", "gpj.exe"), ("re\u{200B}port\u{FEFF}.t\u{2060}xt\u{E0041}", "report.txt"),
        ("\u{200D}", "file"),
        ("a\u{2066}b\u{2069}", "ab"), ("x\u{2028}y\u{2029}", "xy"), (".bashrc", "bashrc"), ("..hidden", "hidden"),
        ("name.", "name"), ("name. . .", "name"), (" name ", "name"), ("a:b", "a_b"), ("a*?\"<>|b", "a______b"),
        ("CON", "_CON"), ("con", "_con"), ("Con.txt", "_Con.txt"), ("con .txt", "_con .txt"), ("prn", "_prn"),
        ("AUX.tar.gz", "_AUX.tar.gz"), ("nul", "_nul"), ("CONIN$", "_CONIN$"), ("conout$.x", "_conout$.x"),
        ("COM1", "_COM1"), ("com9.log", "_com9.log"), ("COM0", "COM0"), ("COM10", "COM10"), ("LPT1", "_LPT1"),
        ("lpt\u{B9}", "_lpt\u{B9}"), ("COM\u{B2}.a", "_COM\u{B2}.a"), ("LPT\u{B3}", "_LPT\u{B3}"), ("CONS", "CONS"),
        ("COM", "COM"), ("xCON", "xCON"), ("CON:", "CON_"), (".CON", "_CON"), ("C\u{0}ON", "_CON"), ("/CON/", "file"),
        ("fi\u{0}le\u{202E}", "file"), ("é.txt", "é.txt"), ("e\u{301}.txt", "e\u{301}.txt"), ("名前.txt", "名前.txt"),
        ("👩‍👩‍👧.png", "👩👩👧.png"), ("a..b", "a..b"), ("-rf", "-rf"), ("~", "~"), ("$HOME", "$HOME"),
        (long, String(repeating: "a", count: 200)), (long + ".pdf", String(repeating: "a", count: 196) + ".pdf"),
        (
            long + "." + String(repeating: "e", count: 31),
            String(repeating: "a", count: 168) + "." + String(repeating: "e", count: 31)
        ),
        (
            long + "." + String(repeating: "e", count: 32),
            String(repeating: "a", count: 168) + "." + String(repeating: "e", count: 31)
        ),
        (String(repeating: "é", count: 150), String(repeating: "é", count: 100)),
        (String(repeating: "名", count: 80) + ".b", String(repeating: "名", count: 66) + ".b"),
        (String(repeating: "a", count: 199) + " bcd", String(repeating: "a", count: 199)),
        ("x." + long, "x." + String(repeating: "a", count: 198)),
        // What is left of a long name must not be a device's.
        ("CON" + String(repeating: " ", count: 300) + "x", "_CON"),
        ("nul" + String(repeating: " ", count: 193) + "xyz.txt", "_nul" + String(repeating: " ", count: 192) + ".txt"),
        ("COM1" + String(repeating: " ", count: 200) + "x.y", "_COM1" + String(repeating: " ", count: 193) + ".y"),
    ]

    @Test("What becomes of names")
    func names() {
        #expect(Self.table.count >= 60)
        for (name, local) in Self.table {
            let derived = SanitizedFileName.derive(from: Array(name.utf8))
            #expect(Array(derived.unicodeScalars) == Array(local.unicodeScalars), "\(name.debugDescription)")
        }
    }

    @Test("Parts of paths keep what stands around a separator (R15.8-2)")
    func parts() {
        for (part, local) in [
            ("a\\b", "a_b"), ("a/b", "a_b"), ("..", "file"), ("a:", "a_"), ("a*", "a_"), ("con", "_con"), (" x. ", "x"),
            ("a\u{202E}b", "ab"), ("\\", "_"),
        ] {
            #expect(SanitizedFileName.derive(fromPart: Array(part.utf8)) == local)
        }
    }

    @Test("Deriving is total, safe and idempotent, for 20,000 names of nasty pieces")
    func properties() {
        let pieces = [
            "/", "\\", ".", " ", "..", "CON", "con", "COM1", "NUL", "\u{0}", "\u{202E}", ":", "*", "a", "é", "名", "👩",
            "\u{301}", "\u{B9}", "LPT", "9", "$", "CONIN$", String(repeating: "b", count: 60), "\u{200D}", "\u{FEFF}",
        ]
        var dice = SeededRandomSource(seed: 1)
        for _ in 0..<20_000 {
            var name: [UInt8] = []
            for _ in 0..<dice.next(below: 9) { name += Array(pieces[dice.next(below: pieces.count)].utf8) }
            if dice.next(below: 10) == 0 { name.append(UInt8(dice.next(below: 256))) }
            let local = SanitizedFileName.derive(from: name)
            let scalars = local.unicodeScalars
            #expect(!local.isEmpty && local.utf8.count <= 200)
            #expect(!scalars.contains { "/\\:*?\"<>|".unicodeScalars.contains($0) || Utf8.isForbidden($0.value) })
            #expect(local != "." && local != ".." && scalars.first != " " && scalars.last != "." && scalars.last != " ")
            #expect(scalars.first != ".")
            let again = SanitizedFileName.derive(from: Array(local.utf8))
            #expect(Array(again.unicodeScalars) == Array(scalars), "\(local.debugDescription)")
        }
    }
}
