import MultipeerCore
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Names of files, SPEC §15.5")
struct FileNameTests {
    static let long = String(repeating: "a", count: 300)

    /// What was offered, and the local name of it.
    static let local: [(String, String)] = [
        ("report.pdf", "report.pdf"), ("../../etc/passwd", "passwd"), ("/etc/passwd", "passwd"), ("a\\b/c", "c"),
        ("a/b\\c", "b\\c"), ("dir/", "file"), ("..", "file"), (".", "file"), ("...", "..."), ("", "file"),
        (" ", "file"),
        (" . ", " . "), ("\u{0}", "file"), ("a\u{0}b", "ab"), ("\u{1}.", "file"), ("\u{202E}gpj.exe", "gpj.exe"),
        (".bashrc", ".bashrc"), ("name. .", "name. ."), ("a:b", "a:b"), ("CON", "CON"), ("e\u{301}", "e\u{301}"),
        (String(repeating: "a", count: 255), String(repeating: "a", count: 255)),
    ]

    /// What was offered, and the portable name of it.
    static let portable: [(String, String)] = [
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
        // A shortened name must not be a device's.
        ("CON" + String(repeating: " ", count: 300) + "x", "_CON"),
        ("nul" + String(repeating: " ", count: 193) + "xyz.txt", "_nul" + String(repeating: " ", count: 192) + ".txt"),
        ("COM1" + String(repeating: " ", count: 200) + "x.y", "_COM1" + String(repeating: " ", count: 193) + ".y"),
    ]

    @Test("How names are changed, and those that a disk does not hold")
    func names() {
        #expect(Self.portable.count >= 60)
        for (name, local) in Self.local {
            #expect(same(SanitizedFileName.derive(from: Array(name.utf8)), local), "\(name.debugDescription)")
        }
        for (name, portable) in Self.portable {
            let derived = SanitizedFileName.portable(SanitizedFileName.derive(from: Array(name.utf8)))
            #expect(same(derived, portable), "\(name.debugDescription): \(derived)")
        }
    }

    /// Strings are equal also where their scalars are not.
    private func same(_ one: String, _ other: String) -> Bool { one.unicodeScalars.elementsEqual(other.unicodeScalars) }

    @Test("Parts of paths keep the text around a separator (R15.8-2)")
    func parts() {
        for (part, local, portable) in [
            ("a\\b", "a\\b", "a_b"), ("a:", "a:", "a_"), ("con", "con", "_con"), (" x. ", " x. ", "x"),
            ("a\u{202E}b", "ab", "ab"), ("\\", "\\", "_"), (".env", ".env", "env"), ("  ", "file", "file"),
        ] {
            #expect(SanitizedFileName.derive(fromPart: Array(part.utf8)) == local)
            #expect(SanitizedFileName.portable(part: local) == portable)
        }
    }

    @Test("A name that no person has seen hides nothing (R15.5-3)")
    func visible() {
        for (local, visible) in [
            (".bashrc", "bashrc"), ("..a", "a"), ("...", "file"), (".  ", "file"), (". .x", "x"), (" .x", " .x"),
            ("a.", "a."),
        ] {
            #expect(SanitizedFileName.visible(local) == visible)
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
            #expect(!local.isEmpty && local != "." && local != "..")
            #expect(!local.unicodeScalars.contains { $0 == "/" || Utf8.isForbidden($0.value) })
            #expect(same(SanitizedFileName.derive(from: Array(local.utf8)), local), "\(local.debugDescription)")
            let portable = SanitizedFileName.portable(local)
            let scalars = portable.unicodeScalars
            #expect(!portable.isEmpty && portable.utf8.count <= 200)
            #expect(!scalars.contains { "/\\:*?\"<>|".unicodeScalars.contains($0) || Utf8.isForbidden($0.value) })
            #expect(scalars.first != " " && scalars.first != "." && scalars.last != "." && scalars.last != " ")
            #expect(same(SanitizedFileName.portable(portable), portable), "\(portable.debugDescription)")
        }
    }
}
