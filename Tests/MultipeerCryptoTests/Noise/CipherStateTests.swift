import MultipeerCrypto
import MultipeerTestSupport
import Testing

@Suite("Cipher states, SPEC §12")
struct CipherStateTests {
    private static let keyBytes = (0..<32).map { UInt8($0 ^ 0x5C) }

    private func state(_ backend: AEADBackend, nonce: UInt64 = 0, key: [UInt8] = keyBytes) throws -> CipherState {
        try CipherState(key: TestProvider.secret(key), suite: backend.suite, crypto: TestProvider.all, nonce: nonce)
    }

    @Test("The counter counts successes, and is the nonce", arguments: AEADBackend.allCases)
    func counts(backend: AEADBackend) throws {
        var sending = try state(backend)
        var receiving = try state(backend)
        let key = try backend.key(Self.keyBytes)
        for number in UInt64(0)..<5 {
            #expect(sending.nonce == number)
            let sealed = try sending.seal([7, 7], associatedData: [1])
            #expect(sealed == (try key.seal([7, 7], associatedData: [1], nonce: number)))
            #expect(try receiving.open(sealed, associatedData: [1]) == [7, 7])
            #expect(receiving.nonce == number + 1)
        }
    }

    @Test("A failed opening does not count: the genuine message opens after it", arguments: AEADBackend.allCases)
    func failedOpen(backend: AEADBackend) throws {
        var sending = try state(backend)
        var receiving = try state(backend)
        for number in UInt64(0)..<4 {
            let sealed = try sending.seal([1, 2, 3])
            for position in sealed.indices {
                var changed = sealed
                changed[position] ^= 0x80
                #expect(throws: CryptoFailure.authenticationFailed) { try receiving.open(changed) }
                #expect(receiving.nonce == number)
            }
            #expect(throws: CryptoFailure.authenticationFailed) { try receiving.open([]) }
            #expect(try receiving.open(sealed) == [1, 2, 3])
        }
    }

    @Test("Messages out of order, repeated or left out are refused", arguments: AEADBackend.allCases)
    func order(backend: AEADBackend) throws {
        var sending = try state(backend)
        var receiving = try state(backend)
        let sealed = try (0..<3).map { try sending.seal([UInt8($0)]) }
        #expect(throws: CryptoFailure.authenticationFailed) { try receiving.open(sealed[1]) }
        #expect(try receiving.open(sealed[0]) == [0])
        #expect(throws: CryptoFailure.authenticationFailed) { try receiving.open(sealed[0]) }
        #expect(throws: CryptoFailure.authenticationFailed) { try receiving.open(sealed[2]) }
        #expect(try receiving.open(sealed[1]) == [1])
    }

    @Test("Nonce 2^64−1 is reserved: the one before is the last", arguments: AEADBackend.allCases)
    func exhaustion(backend: AEADBackend) throws {
        var sending = try state(backend, nonce: .max - 1)
        var receiving = try state(backend, nonce: .max - 1)
        let last = try sending.seal([5])
        #expect(try receiving.open(last) == [5])
        for _ in 0..<2 {
            #expect(throws: CryptoFailure.nonceExhausted) { try sending.seal([6]) }
            #expect(throws: CryptoFailure.nonceExhausted) { try receiving.open(last) }
        }
        #expect(sending.nonce == .max)
        #expect(receiving.nonce == .max)
    }

    @Test(
        "Rekey is the first 32 bytes of ENCRYPT(k, 2^64−1, \"\", zeros), and keeps the counter",
        arguments: AEADBackend.allCases)
    func rekey(backend: AEADBackend) throws {
        var sending = try state(backend)
        var receiving = try state(backend)
        #expect(try receiving.open(sending.seal([0])) == [0])
        var expected = Self.keyBytes
        for round in UInt64(1)...3 {
            try sending.rekey()
            // By other libraries, with the nonce written out: four zero bytes, eight of ones.
            let nonce = [UInt8](repeating: 0, count: 4) + [UInt8](repeating: 0xFF, count: 8)
            let zeros = [UInt8](repeating: 0, count: 32)
            let oracles = Set(
                try backend.oracles(key: expected, nonce: nonce, associatedData: [], plaintext: zeros))
            let oracle = try #require(oracles.first)
            #expect(oracles.count == 1, "the libraries agree")
            expected = Array(oracle.prefix(32))

            #expect(sending.nonce == round)
            let sealed = try sending.seal([UInt8(round)])
            var byHand = try state(backend, nonce: round, key: expected)
            #expect(try byHand.seal([UInt8(round)]) == sealed)

            #expect(throws: CryptoFailure.authenticationFailed) { try receiving.open(sealed) }
            try receiving.rekey()
            #expect(try receiving.open(sealed) == [UInt8(round)])
        }
    }

    @Test("The reserved nonce can be used for a rekey, which does not add nonces", arguments: AEADBackend.allCases)
    func rekeyAtTheEnd(backend: AEADBackend) throws {
        var sending = try state(backend, nonce: .max)
        try sending.rekey()
        #expect(throws: CryptoFailure.nonceExhausted) { try sending.seal([1]) }
    }

    @Test("Keys of other lengths are refused", arguments: AEADBackend.allCases, [0, 31, 33])
    func keyLength(backend: AEADBackend, count: Int) {
        #expect(throws: CryptoFailure.malformedKey) {
            _ = try state(backend, key: [UInt8](repeating: 0, count: count)).nonce
        }
    }
}
