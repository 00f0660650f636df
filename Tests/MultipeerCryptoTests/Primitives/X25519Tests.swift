import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTesting
import Testing

@Suite("X25519, SPEC §9.4")
struct X25519Tests {
    private let agreement = TestProvider.sodium.agreement

    private func agree(_ privateKey: [UInt8], _ publicKey: [UInt8]) throws -> [UInt8] {
        let privateKey = try agreement.makePrivateKey(rawBytes: privateKey.span)
        return try agreement.agree(privateKey, with: AgreementPublicKey(rawBytes: publicKey)).copied()
    }

    @Test("RFC 7748 §5.2: a thousand steps, each fed by the last")
    func iterated() throws {
        var scalar: [UInt8] = [9] + [UInt8](repeating: 0, count: 31)
        var point = scalar
        for step in 1...1_000 {
            let product = try agree(scalar, point)
            point = scalar
            scalar = product
            if step == 1 {
                #expect(scalar == hex("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"))
            }
        }
        #expect(scalar == hex("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"))
    }

    @Test("Both peers compute the same secret, and different ones with different keys")
    func bothSidesAgree() throws {
        var random: any RandomSource = SeededRandomSource(seed: 1)
        var seen: Set<[UInt8]> = []
        for _ in 0..<20 {
            let left = try agreement.makePrivateKey(random: &random)
            let right = try agreement.makePrivateKey(random: &random)
            let leftPublic = try agreement.publicKey(of: left)
            let rightPublic = try agreement.publicKey(of: right)
            let fromLeft = try agreement.agree(left, with: rightPublic).copied()
            let fromRight = try agreement.agree(right, with: leftPublic).copied()
            #expect(fromLeft == fromRight)
            #expect(seen.insert(fromLeft).inserted)
        }
    }

    @Test("A private key takes exactly 32 bytes of the random source")
    func randomIsInjected() throws {
        let bytes = (0..<32).map { UInt8($0) }
        var random: any RandomSource = FixedRandom(bytes)
        let key = try agreement.makePrivateKey(random: &random)
        #expect(key.scalar.copied() == bytes)
    }

    @Test(
        "A public key of small order is refused (RFC 7748 §6.1)",
        arguments: [
            [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
            [0xEC] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
            [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F],
        ])
    func smallOrder(point: [UInt8]) throws {
        let scalar = [UInt8](repeating: 9, count: 32)
        let weak = try AgreementPublicKey(rawBytes: point)
        #expect(throws: CryptoFailure.weakPublicKey) {
            let key = try agreement.makePrivateKey(rawBytes: scalar.span)
            _ = try agreement.agree(key, with: weak).count
        }
    }

    @Test("Keys of other lengths are refused", arguments: [0, 31, 33])
    func wrongLength(count: Int) {
        let bytes = [UInt8](repeating: 9, count: count)
        #expect(throws: CryptoFailure.malformedKey) {
            _ = try agreement.makePrivateKey(rawBytes: bytes.span).scalar.count
        }
        #expect(throws: CryptoFailure.malformedKey) { try AgreementPublicKey(rawBytes: bytes) }
    }

    @Test(
        "Wycheproof, 518 cases: an all-zero result is refused, every other is the known answer",
        .enabled(if: ExternalVectors.has("wycheproof/x25519_test.json")))
    func wycheproof() throws {
        var refused = 0
        var agreed = 0
        for test in try WycheproofFile<Group>.groups("x25519_test.json").flatMap(\.tests) {
            let isZero = test.shared.bytes.allSatisfy { $0 == 0 }
            if isZero {
                #expect(throws: CryptoFailure.weakPublicKey, "case \(test.tcId)") {
                    _ = try agree(test.private.bytes, test.public.bytes)
                }
                refused += 1
            } else {
                let shared = try agree(test.private.bytes, test.public.bytes)
                #expect(shared == test.shared.bytes, "case \(test.tcId)")
                agreed += 1
            }
        }
        #expect(refused + agreed == 518)
        #expect(refused > 20, "the low-order points are among the cases")
    }

    private struct Group: Decodable, WycheproofGroup {
        struct Test: Decodable {
            let tcId: Int
            let `public`: HexBytes
            let `private`: HexBytes
            let shared: HexBytes
        }
        let tests: [Test]
        var testCount: Int { tests.count }
    }
}
