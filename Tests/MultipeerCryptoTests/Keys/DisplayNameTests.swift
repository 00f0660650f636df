import MultipeerCrypto
import Testing

@Suite("Display names, SPEC §4.2")
struct DisplayNameTests {
    @Test("A name has at most 63 bytes of UTF-8, however many characters")
    func lengths() throws {
        for name in [
            String(repeating: "a", count: 63), String(repeating: "ä", count: 31) + "a",
            String(repeating: "👨", count: 15),
        ] {
            #expect(try DisplayName(name).description == name)
            #expect(try DisplayName(name).utf8Bytes == Array(name.utf8))
        }
        #expect(throws: DisplayNameError.tooLong(byteCount: 64)) { try DisplayName(String(repeating: "a", count: 64)) }
        #expect(throws: DisplayNameError.tooLong(byteCount: 64)) { try DisplayName(String(repeating: "ä", count: 32)) }
        // Sixteen characters.
        #expect(throws: DisplayNameError.tooLong(byteCount: 64)) { try DisplayName(String(repeating: "👨", count: 16)) }
        #expect(throws: DisplayNameError.empty) { try DisplayName("") }
    }

    @Test("A name has no control characters, none that change the direction of text, and no invisible ones")
    func controlCharacters() {
        for name in [
            "a\u{0}", "\n", "a\u{7F}b", "\u{85}", "\u{2028}", "a\u{202E}b", "\u{2066}", "Be\u{AD}n", "Ben\u{61C}",
            "\u{200B}Ben", "B\u{200D}en", "Ben\u{200F}", "B\u{2060}en", "B\u{2064}en", "\u{FEFF}Ben", "Ben\u{E0041}",
        ] {
            #expect(throws: DisplayNameError.controlCharacter) { try DisplayName(name) }
        }
    }

    @Test("A name has something visible: blanks alone are refused, but may be part of it")
    func blanks() throws {
        for name in [" ", "   ", "\u{A0}", "\u{2003}\u{2003}", "\u{3000}", "\u{3164}", "\u{2800}", " \u{FFA0} "] {
            #expect(throws: DisplayNameError.blank) { try DisplayName(name) }
        }
        #expect(try DisplayName(" Anna \u{3000}Beck").description == " Anna \u{3000}Beck")
    }
}
