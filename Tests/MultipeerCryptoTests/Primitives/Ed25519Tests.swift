import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("Ed25519, SPEC §9.6")
struct Ed25519Tests {
    private let sodium = TestProvider.sodium

    private func isValid(_ signature: [UInt8], _ message: [UInt8], _ key: [UInt8]) throws -> Bool {
        sodium.signatures.isValid(signature.span, of: message.span, by: try IdentityKey(rawBytes: key))
    }

    @Test("Known answers of RFC 8032 §7.1, signed and verified", arguments: Ed25519Case.known)
    func knownAnswers(test: Ed25519Case) throws {
        let identity = try SodiumIdentity(seed: TestProvider.secret(test.seed), provider: sodium)
        #expect(identity.identityKey.rawBytes == test.key)
        let signature = try identity.sign(test.message.span)
        #expect(signature == test.signature)
        #expect(try isValid(test.signature, test.message, test.key))
    }

    @Test("Every changed bit of signature, message or key is detected")
    func everyBit() throws {
        let test = Ed25519Case.known[2]
        for (field, bytes) in [("signature", test.signature), ("message", test.message), ("key", test.key)] {
            for bit in 0..<bytes.count * 8 {
                var changed = bytes
                changed[bit / 8] ^= 1 << UInt8(bit % 8)
                let valid =
                    switch field {
                    case "signature": try isValid(changed, test.message, test.key)
                    case "message": try isValid(test.signature, changed, test.key)
                    default: try isValid(test.signature, test.message, changed)
                    }
                #expect(!valid, "\(field), bit \(bit)")
            }
        }
    }

    @Test("Signatures of other lengths than 64 bytes are refused", arguments: [0, 1, 32, 63, 65, 128])
    func wrongLength(count: Int) throws {
        let test = Ed25519Case.known[1]
        let signature = Array((test.signature + test.signature).prefix(count))
        #expect(try !isValid(signature, test.message, test.key))
    }

    @Test("Strict verification refuses signatures that a lax verifier accepts", arguments: LaxCase.refused)
    func strictness(test: LaxCase) throws {
        #expect(try !isValid(test.signature, test.message, test.key))
    }

    @Test("Strict verification accepts other unusual signatures", arguments: LaxCase.accepted)
    func acceptance(test: LaxCase) throws {
        #expect(try isValid(test.signature, test.message, test.key))
    }

    @Test("An identity is its seed: 32 bytes of the random source, stored and restored")
    func seed() throws {
        let bytes = (0..<32).map { UInt8($0) }
        var random: any RandomSource = FixedRandom(bytes)
        let made = try SodiumIdentity(random: &random, provider: sodium)
        #expect(made.identityKey.rawBytes == LaxCase.honestKey)
        let stored = made.withSeed { Array(copying: $0) }
        #expect(stored == bytes)
        let again = try SodiumIdentity(seed: TestProvider.secret(stored), provider: sodium)
        #expect(again.identityKey == made.identityKey)
    }

    @Test("Seeds of other lengths are refused", arguments: [0, 31, 33, 64])
    func wrongSeed(count: Int) throws {
        #expect(throws: CryptoFailure.malformedKey) {
            try SodiumIdentity(seed: TestProvider.secret([UInt8](repeating: 1, count: count)), provider: sodium)
        }
    }

    @Test("An identity frees its locked memory, wiped")
    func identityIsWiped() throws {
        let crypto = try SodiumProvider()
        var random: any RandomSource = crypto.random
        do {
            let identity = try SodiumIdentity(random: &random, provider: crypto)
            let other = try SodiumIdentity(random: &random, provider: crypto)
            #expect(crypto.secrets.usage.usedSlots == 2)
            #expect(identity.identityKey != other.identityKey)
        }
        #expect(crypto.secrets.usage.usedSlots == 0)
        #expect(crypto.secrets.freeSlotsAreZero)
    }

    @Test("The system's generator fills every byte, and an empty buffer")
    func systemRandom() {
        var random = sodium.random
        #expect(random.bytes(0) == [])
        // Each of 64 positions is non-zero in one of 32 draws, but for a chance of 64 × 2^-256.
        var union = [UInt8](repeating: 0, count: 64)
        for _ in 0..<32 {
            let draw = random.bytes(64)
            for index in draw.indices { union[index] |= draw[index] }
        }
        #expect(union.allSatisfy { $0 != 0 })
    }

    @Test("The lesser of two identity keys has the lesser first different byte (SPEC §8.6)")
    func order() throws {
        func key(_ first: UInt8, _ last: UInt8) throws -> IdentityKey {
            try IdentityKey(rawBytes: [first] + [UInt8](repeating: 7, count: 30) + [last])
        }
        #expect(try key(1, 9) < key(2, 3))
        #expect(try !(key(2, 3) < key(1, 9)))
        #expect(try key(0x7F, 0) < key(0x80, 0))
        #expect(try key(1, 1) < key(1, 2) && !(key(1, 1) < key(1, 1)))
    }
}

struct Ed25519Case: Sendable {
    let seed, key, message, signature: [UInt8]

    /// RFC 8032 §7.1: TEST 1, TEST 2, TEST 3 and TEST SHA(abc).
    static let known = [
        Ed25519Case(
            seed: hex("9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"),
            key: hex("d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"),
            message: [],
            signature: hex(
                """
                e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46b
                d25bf5f0595bbe24655141438e7a100b
                """)),
        Ed25519Case(
            seed: hex("4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb"),
            key: hex("3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c"),
            message: hex("72"),
            signature: hex(
                """
                92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c
                387b2eaeb4302aeeb00d291612bb0c00
                """)),
        Ed25519Case(
            seed: hex("c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7"),
            key: hex("fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025"),
            message: hex("af82"),
            signature: hex(
                """
                6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc659
                4a7c15e9716ed28dc027beceea1ec40a
                """)),
        Ed25519Case(
            seed: hex("833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42"),
            key: hex("ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf"),
            message: hex(
                """
                ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd
                454d4423643ce80e2a9ac94fa54ca49f
                """),
            signature: hex(
                """
                dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e030
                3dca179c138ac17ad9bef1177331a704
                """)),
    ]
}

/// Signatures made for this test, each with one fault that the equation alone does not show.
///
/// The honest key is that of the seed 00 01 … 1f. The forgeries need no private key: with A of small order and
/// k = SHA-512(R ‖ A ‖ message) a multiple of that order, [k]A vanishes, and R = [S]B holds for any S.
struct LaxCase: Sendable, CustomTestStringConvertible {
    let fault: String
    let key, message, signature: [UInt8]

    var testDescription: String { fault }

    static let honestKey = hex("03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8")
    private static let honestR = hex("d45bd436eca8cf5deec21c0da72226f03aa29cabccce352c6740fba7c61267c8")
    /// S = 12345678901234567890 and R = [S]B.
    private static let forgery = hex(
        """
        7767a3242dc9b58bbc68488c1265cc6cc5f26c6f3c88a5d55e901b0734dca572
        d20a1feb8ca954ab000000000000000000000000000000000000000000000000
        """)
    /// The honest key plus a point of order 8.
    private static let mixedKey = hex("b154bd62188ae283dd187fefe8c31f5e276edf083b4cff11c9d5cff856c74440")
    private static let mixedR = hex("862466185472adedfe2be81127da343cc19f0999ecdefc866ba2cb66431a5414")

    private static func forged(_ fault: String, key: String, message: UInt8) -> LaxCase {
        LaxCase(fault: fault, key: hex(key), message: [message], signature: forgery)
    }

    static let refused = [
        LaxCase(
            fault: "S + L in place of S", key: honestKey, message: [0],
            signature: honestR + hex("f2461e224954133d939f2c12c1cea44f1424116ce6a1cf77b4480fe3a905f91e")),
        LaxCase(
            fault: "R is the neutral element", key: honestKey, message: [0],
            signature: hex("0100000000000000000000000000000000000000000000000000000000000000")
                + hex("17cdfdd7406a4b4856eabcc47de07694dda86ab38cb378c8859942228b862d0d")),
        LaxCase(
            fault: "R is the neutral element, y not reduced", key: honestKey, message: [0],
            signature: hex("eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f")
                + hex("2a654009213ebd88eb4ed6ca898b26e600ce788da259491b3196acaf8c62eb02")),
        forged("A of order 1", key: "01" + String(repeating: "0", count: 62), message: 0),
        forged("A of order 2", key: "ec" + String(repeating: "f", count: 60) + "7f", message: 0),
        forged("A of order 4", key: String(repeating: "0", count: 64), message: 2),
        forged(
            "A of order 8", key: "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05", message: 0x0d),
        forged("A of order 1, y not reduced", key: "ee" + String(repeating: "f", count: 60) + "7f", message: 0),
        forged("A of order 1, sign of zero", key: "01" + String(repeating: "0", count: 60) + "80", message: 0),
        forged("A of order 4, y not reduced", key: "ed" + String(repeating: "f", count: 60) + "7f", message: 3),
        forged("A is no point of the curve", key: "02" + String(repeating: "0", count: 62), message: 0),
        LaxCase(
            fault: "holds only when multiplied by the cofactor", key: mixedKey, message: [0],
            signature: mixedR + hex("194741df9be98f326a8293870db01309d545b948df3528011f432438fd0f3c0f")),
    ]

    static let accepted = [
        LaxCase(
            fault: "an honest signature", key: honestKey, message: [0],
            signature: honestR + hex("057328c52ef100e5bc02356fe2d4c53a1424116ce6a1cf77b4480fe3a905f90e")),
        LaxCase(
            fault: "A with a component of order 8, the equation holds without the cofactor", key: mixedKey,
            message: [3],
            signature: mixedR + hex("d0629c1f773b6b39f252c847b146519b257eab955d696503a497968296462306")),
    ]
}
