import Multipeer
import MultipeerCertificates
import Testing

@testable import MultipeerTool

@Suite("Text for terminals and programs")
struct TextTests {
    @Test("Nothing harmful is left in escaped text")
    func escapes() {
        for value in (0...0x2FFF).map(UInt32.init) + [0xFEFF, 0xE0041, 0xF0000, 0x10FFFF] {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(scalar)
            #expect(!SafeText.escape(text).unicodeScalars.contains(where: SafeText.isHarmful))
            let line = JSON.string(text).line
            #expect(!line.unicodeScalars.contains(where: SafeText.isHarmful))
            #expect(JSONValue.parse(line) == .string(text))
        }
        #expect(SafeText.escape("a\\u{1B}") == #"a\\u{1B}"#)
        #expect(SafeText.escape("naïve 🎈") == "naïve 🎈")
    }

    @Test("Base64 of RFC 4648 §10")
    func base64() {
        for (text, encoded) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            #expect(Base64.encode(Array(text.utf8)) == encoded)
        }
    }

    @Test("JSON integers are exact, or strings")
    func integers() {
        #expect(JSON.integer(1 << 53 - 1).line == "9007199254740991")
        #expect(JSON.integer(1 << 53).line == "\"9007199254740992\"")
        #expect(JSON.object([("b", .null), ("a", .array([.boolean(true)]))]).line == #"{"b":null,"a":[true]}"#)
    }

    @Test("A progress bar fits its terminal", arguments: [0, 1, 20, 40, 80, 500])
    func bar(columns: Int) {
        for (done, name) in [(0, "a"), (1, String(repeating: "x", count: 300)), (100, "\u{1B}[2J")] {
            let progress = FileProgress(direction: .received, name: name, transferred: UInt64(done), size: 100)
            let line = ProgressBar.line(progress, columns: columns)
            #expect(line.count < max(columns, 44))
            #expect(line.hasSuffix("\(done) % of 100 B"))
            #expect(!line.contains("\u{1B}"))
        }
        var fast = FileProgress(direction: .received, name: "a", transferred: 50, size: 100)
        (fast.bytesPerSecond, fast.timeLeft) = (2_621_440, .seconds(3_725.9))
        let line = ProgressBar.line(fast, columns: columns)
        #expect(line.hasSuffix("50 % of 100 B" + (columns > 70 ? ", 2560 KiB/s, 1:02:05 left" : "")))
        #expect(line.count < max(columns, 44))
        let empty = FileProgress(direction: .sent, name: "e", transferred: 0, size: 0)
        #expect(empty.percent == 100)
    }
}
