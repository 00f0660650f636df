import Foundation
import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTesting
import Testing

@Suite("Words and one-time codes, SPEC §25.2, §25.4")
struct OneTimeCodeTests {
    @Test("The words are those of the file whose hash the specification gives (R25.2-1)")
    func words() throws {
        let file = [UInt8](try Data(contentsOf: Repository.root.appendingPathComponent("Vectors/words-v1.txt")))
        #expect(PairingWords.all.map { $0 + "\n" }.joined() == String(decoding: file, as: UTF8.self))
        let nothing: [UInt8] = []
        let hash = TestProvider.sodium.hashing.hash(file.span, nothing.span)
        let section = try #require(try Specification.section("25.2"))
        #expect(section.contains(Hexadecimal.encode(hash.rawBytes)))
    }

    @Test("1,024 words of four to seven letters, distinct in the first four, and after any single typing error")
    func distance() {
        let words = PairingWords.all
        #expect(words.count == 1_024 && words == words.sorted())
        #expect(words.allSatisfy { (4...7).contains($0.utf8.count) && $0.allSatisfy { ("a"..."z").contains($0) } })
        #expect(Set(words.map { $0.prefix(4) }).count == 1_024)
        let known = Set(words)
        for word in words { #expect(known.isDisjoint(with: Self.slips(of: word).subtracting([word])), "\(word)") }
        #expect(words.enumerated().allSatisfy { PairingWords.index(of: $1) == $0 })
        #expect(["", "a", "acor", "acornx", "zzzz", "ACORN"].allSatisfy { PairingWords.index(of: $0) == nil })
    }

    /// The word with one letter changed or left out, or two neighbours exchanged. A letter more is another word's letter
    /// less.
    private static func slips(of word: String) -> Set<String> {
        let letters = Array(word)
        var slips: Set<String> = []
        for place in letters.indices {
            for letter in "abcdefghijklmnopqrstuvwxyz" {
                slips.insert(String(letters[..<place] + [letter] + letters[(place + 1)...]))
            }
            slips.insert(String(letters[..<place] + letters[(place + 1)...]))
            guard place > 0 else { continue }
            var exchanged = letters
            exchanged.swapAt(place, place - 1)
            slips.insert(String(exchanged))
        }
        return slips
    }

    @Test(
        "Typed codes have one normal form (R25.4-1)",
        arguments: [
            "4-tulip-orbit", "4-TULIP-ORBIT", "4 tulip orbit", "  4-Tulip - orbit\t", "4--tulip--orbit",
            "-4-tulip-orbit-", "4_tulip_orbit", "4-tulip-orbit\r\n", "4\ntulip\norbit",
        ])
    func normalForm(text: String) throws {
        let code = try #require(OneTimeCode(typed: text))
        #expect(code.normalForm == "4-tulip-orbit" && "\(code)" == code.normalForm)
        #expect(code.number == 4 && code.words == ["tulip", "orbit"])
        #expect(try code.password(in: lockedMemory).copied() == Array("4-tulip-orbit".utf8))
    }

    @Test(
        "All other text is refused before anything is sent (R25.4-1)",
        arguments: [
            "", "-", "4", "4-tulip", "tulip-orbit", "4-tulip-orbit-acorn", "0-tulip-orbit", "1000-tulip-orbit",
            "04-tulip-orbit", "-4-tulip-orbits", "+4-tulip-orbit", "4-tulip-orbis", "4tulip-orbit",
            "4-tulip\u{2013}orbit",
            "4-tulip-orbit\u{B}", "4.tulip.orbit", "\u{FF14}-tulip-orbit", "tulip-4-orbit",
        ])
    func refused(text: String) { #expect(OneTimeCode(typed: text) == nil) }

    @Test("Unknown words are named")
    func unknownWords() {
        #expect(OneTimeCode.unknownWords(in: "4-tulpi-Orbit") == ["tulpi"])
        #expect(OneTimeCode.unknownWords(in: "4-tulpi-orbti\n") == ["tulpi", "orbti"])
        for text in ["4-tulip-orbit", "0-tulip-orbit", "tulpi", ""] {
            #expect(OneTimeCode.unknownWords(in: text).isEmpty)
        }
    }

    @Test("64 bytes of text are accepted, and no more (R25.4-1)")
    func length() {
        let spaces = String(repeating: " ", count: 51)
        #expect(OneTimeCode(typed: "4-tulip-orbit" + spaces) != nil)
        #expect(OneTimeCode(typed: "4-tulip-orbit " + spaces) == nil)
    }

    @Test("Words are drawn anew, with equal chances (R25.4-2)")
    func drawn() {
        var counts: [String: Int] = [:]
        // All values of sixteen bits, once in each place.
        for value in 0..<65_536 {
            let bytes = [UInt8(value >> 8), UInt8(value & 0xFF)]
            var random: any RandomSource = FixedRandom(bytes + bytes)
            let code = OneTimeCode(number: 1, random: &random)
            #expect(code.words[0] == code.words[1])
            counts[code.words[0], default: 0] += 1
        }
        #expect(counts.count == 1_024 && counts.values.allSatisfy { $0 == 64 })
        var random: any RandomSource = SeededRandomSource(seed: 7)
        #expect(Set((0..<32).map { _ in OneTimeCode(number: 9, random: &random) }).count == 32)
    }

    @Test("A drawn code equals the same code typed")
    func roundTrip() {
        var random: any RandomSource = SeededRandomSource(seed: 8)
        for number in [1, 42, 999] {
            let code = OneTimeCode(number: number, random: &random)
            #expect(OneTimeCode(typed: code.normalForm) == code)
        }
    }
}
