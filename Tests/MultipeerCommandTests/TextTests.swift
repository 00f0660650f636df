import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerTerminal
import Testing

@testable import MultipeerCommandLine

@Suite("Text for terminals and programs")
struct TextTests {
    @Test("Escaped text contains nothing harmful")
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

    @Test("A small number of bytes is printed once")
    func byteCounts() {
        #expect(ByteCount.text(8) == "8 B" && ByteCount.exact(8) == nil)
        #expect(ByteCount.text(10_240) == "10 KiB" && ByteCount.exact(10_240) == "10240 bytes")
    }

    @Test("If a person has declined, the remedy is not to ask that person")
    func declined() {
        for end in [InvitationEnd.declined, .declinedByPeer] {
            let failure = LinkFailure(stage: .invited, cause: .invitation(end))
            #expect(failure.remedy.contains("the remote person") == (end == .declinedByPeer))
        }
    }

    @Test("JSON integers are exact, or strings")
    func integers() {
        #expect(JSON.integer(1 << 53 - 1).line == "9007199254740991")
        #expect(JSON.integer(1 << 53).line == "\"9007199254740992\"")
        #expect(JSON.object([("b", .null), ("a", .array([.boolean(true)]))]).line == #"{"b":null,"a":[true]}"#)
    }
}
