import MultipeerCrypto
import Testing

@Suite("Display names, SPEC §4.2")
struct DisplayNameTests {
    @Test("A name has at most 63 bytes of UTF-8, however many characters these are")
    func lengths() throws {
        for name in [String(repeating: "a", count: 63), String(repeating: "ä", count: 31) + "a", "👨‍👩‍👧‍👦👨‍👩‍👧‍👦"] {
            #expect(try DisplayName(name).description == name)
            #expect(try DisplayName(name).utf8Bytes == Array(name.utf8))
        }
        #expect(throws: DisplayNameError.tooLong(byteCount: 64)) { try DisplayName(String(repeating: "a", count: 64)) }
        #expect(throws: DisplayNameError.tooLong(byteCount: 64)) { try DisplayName(String(repeating: "ä", count: 32)) }
        // Three characters.
        #expect(throws: DisplayNameError.tooLong(byteCount: 75)) { try DisplayName(String(repeating: "👨‍👩‍👧‍👦", count: 3)) }
        #expect(throws: DisplayNameError.empty) { try DisplayName("") }
    }

    @Test("A name has no control characters, and none that change the direction of text")
    func controlCharacters() {
        for name in ["a\u{0}", "\n", "a\u{7F}b", "\u{85}", "\u{2028}", "a\u{202E}b", "\u{2066}"] {
            #expect(throws: DisplayNameError.controlCharacter) { try DisplayName(name) }
        }
    }
}
