import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTesting
import Testing

@Suite("Short strings, SPEC §25.3")
struct ShortStringTests {
    private let primitives = TestProvider.sodium.pairing
    private let context: ShortStringContext

    init() throws { context = try Self.context(key: 7) }

    private static func context(
        key: UInt8, initiator: UInt8 = 1, responder: UInt8 = 2, in memory: LockedMemory = TestProvider.sodium.secrets
    ) throws -> ShortStringContext {
        let keys = [initiator, responder].compactMap { try? IdentityKey(rawBytes: [UInt8](repeating: $0, count: 32)) }
        return ShortStringContext(
            stringKey: try SharedSecret(copying: [UInt8](repeating: key, count: 32), in: memory), initiator: keys[0],
            responder: keys[1])
    }

    private func initiator(
        _ context: ShortStringContext, _ random: inout any RandomSource
    ) throws -> ShortStringInitiator {
        try ShortStringInitiator(context: context, primitives: primitives, random: &random)
    }

    private func responder(
        _ context: ShortStringContext, to commitment: [UInt8], _ random: inout any RandomSource
    ) throws -> ShortStringResponder {
        try ShortStringResponder(answering: commitment, context: context, primitives: primitives, random: &random)
    }

    @Test("Both peers see one string; six digits and three words (R25.3-3)")
    func honest() throws {
        var random: any RandomSource = SeededRandomSource(seed: 1)
        var seen: Set<ShortAuthenticationString> = []
        for _ in 0..<200 {
            let one = try initiator(context, &random)
            let other = try responder(context, to: one.commitment, &random)
            let revealed = try one.reveal(to: other.nonce)
            let string = try other.receive(revealed.nonce)
            #expect(string == revealed.string)
            #expect(string.digits.count == 6 && string.digits.allSatisfy(\.isNumber))
            #expect(string.groupedDigits.filter { $0 != " " } == string.digits)
            #expect(string.words.count == 3 && string.words.allSatisfy { PairingWords.index(of: $0) != nil })
            seen.insert(string)
        }
        #expect(seen.count == 200)
    }

    @Test("A string of another key, or of exchanged roles, is another one (R25.3-3)")
    func bound() throws {
        var strings: Set<ShortAuthenticationString> = []
        let contexts = [
            context, try Self.context(key: 8), try Self.context(key: 7, initiator: 3),
            try Self.context(key: 7, responder: 3),
            try Self.context(key: 7, initiator: 2, responder: 1),
        ]
        for context in contexts {
            var random: any RandomSource = SeededRandomSource(seed: 2)
            strings.insert(try initiator(context, &random).reveal(to: [UInt8](repeating: 9, count: 32)).string)
        }
        #expect(strings.count == contexts.count)
        #expect(Set(strings.map(\.digits)).count == contexts.count && Set(strings.map(\.words)).count == contexts.count)
    }

    @Test("Each peer draws 32 bytes for every exchange (R25.3-1)")
    func fresh() throws {
        var random: any RandomSource = SeededRandomSource(seed: 3)
        var nonces: Set<[UInt8]> = []
        for _ in 0..<8 {
            let one = try initiator(context, &random)
            let other = try responder(context, to: one.commitment, &random)
            let nonce = other.nonce
            nonces.formUnion([nonce, try one.reveal(to: nonce).nonce])
        }
        #expect(nonces.count == 16 && nonces.allSatisfy { $0.count == 32 })
    }

    @Test("A nonce that differs in any bit from its commitment gives no string (R25.3-2)")
    func changed() throws {
        var random: any RandomSource = SeededRandomSource(seed: 4)
        for bit in 0..<256 {
            let one = try initiator(context, &random)
            let other = try responder(context, to: one.commitment, &random)
            var nonce = try one.reveal(to: other.nonce).nonce
            nonce[bit / 8] ^= 1 << (bit % 8)
            let failure = failure(of: other, nonce)
            #expect(failure == .authenticationFailed, "bit \(bit)")
        }
    }

    @Test("An attacker between two peers cannot choose its nonce once it knows the string that it wants (R25.3-2)")
    func grinding() throws {
        var random: any RandomSource = SeededRandomSource(seed: 5)
        // The victim's link with the attacker is done: its person sees this string.
        let victim = try initiator(try Self.context(key: 10), &random)
        let seen = try victim.reveal(to: [UInt8](repeating: 0, count: 32)).string
        // On the other link the attacker is the initiator, has committed, and has the nonce of the other victim.
        let link = try Self.context(key: 11)
        let committed = try initiator(link, &random)
        var found = 0
        for number in 0..<4_000 {
            // It now tries nonces until the string would do: here two digits, so that a search succeeds quickly.
            var fixed: any RandomSource = FixedRandom([UInt8](repeating: 3, count: 32))
            let other = try responder(link, to: committed.commitment, &fixed)
            var candidate = [UInt8](repeating: 0, count: 32)
            (candidate[0], candidate[1]) = (UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: number >> 8))
            var replayed: any RandomSource = FixedRandom(candidate)
            let string = try initiator(link, &replayed).reveal(to: other.nonce).string
            guard string.digits.suffix(2) == seen.digits.suffix(2) else { continue }
            found += 1
            let failure = failure(of: other, candidate)
            #expect(failure == .authenticationFailed)
        }
        #expect(found > 10, "without the commitment it would have found one")
    }

    @Test("Nonces and commitments of other lengths are refused", arguments: [0, 31, 33])
    func lengths(count: Int) throws {
        let bytes = [UInt8](repeating: 1, count: count)
        var random: any RandomSource = SeededRandomSource(seed: 6)
        #expect(throws: CryptoFailure.malformedKey) { _ = try responder(context, to: bytes, &random).nonce }
        let one = try initiator(context, &random)
        let other = try responder(context, to: one.commitment, &random)
        let failure = failure(of: other, bytes)
        #expect(failure == .malformedKey)
        var again: any RandomSource = SeededRandomSource(seed: 7)
        #expect(throws: CryptoFailure.malformedKey) { _ = try initiator(context, &again).reveal(to: bytes) }
    }

    @Test("String key and unrevealed nonce are in locked memory, and erased after the exchange")
    func wiped() throws {
        let sodium = try SodiumProvider()
        let memory = sodium.secrets
        do {
            var random: any RandomSource = SeededRandomSource(seed: 8)
            let context = try Self.context(key: 7, in: memory)
            #expect(memory.usage.usedSlots == 1, "the string key")
            let one = try ShortStringInitiator(context: context, primitives: sodium.pairing, random: &random)
            #expect(memory.usage.usedSlots == 2, "and the initiator's nonce")
            let other = try ShortStringResponder(
                answering: one.commitment, context: context, primitives: sodium.pairing, random: &random)
            let nonce = other.nonce
            let revealed = try one.reveal(to: nonce)
            #expect(memory.usage.usedSlots == 1, "which has been revealed")
            #expect(try other.receive(revealed.nonce) == revealed.string)
        }
        #expect(memory.usage.usedSlots == 0)
        #expect(memory.freeSlotsAreZero)
    }

    /// What the responder says to a revealed nonce.
    private func failure(of responder: consuming ShortStringResponder, _ nonce: [UInt8]) -> CryptoFailure? {
        do throws(CryptoFailure) { _ = try responder.receive(nonce) } catch { return error }
        return nil
    }
}
