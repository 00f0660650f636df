import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerWire
import Testing

/// What every AEAD backend must do; a new backend joins by its case in ``AEADBackend``.
@Suite("AEAD backends, SPEC §12")
struct AEADComplianceTests {
    private static func bytes(_ count: Int, _ step: Int = 7) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* step &+ 3) }
    }

    /// Every length that a vectorised loop may treat apart, and the edges of records.
    private static let lengths = Array(0...300) + [1_023, 1_024, 4_095, 4_097, 16_383, 16_384, 16_385, 65_518, 65_519]

    @Test("Sealing in place gives the result that other libraries give out of place", arguments: AEADBackend.allCases)
    func agreesWithOracles(backend: AEADBackend) throws {
        let key = try backend.key()
        for length in Self.lengths {
            let plaintext = Self.bytes(length)
            // Another length of associated data puts the plaintext at another alignment.
            let associatedData = Self.bytes(length % 37, 11)
            let nonce: UInt64 = UInt64(length) << 33 | 5
            let sealed = try key.seal(plaintext, associatedData: associatedData, nonce: nonce, gap: length % 3)
            for oracle in try backend.oracles(
                key: AEADBackend.sampleKey, nonce: Self.layOut(nonce, backend), associatedData: associatedData,
                plaintext: plaintext)
            {
                // Compared first: a report of two such arrays and their difference takes minutes.
                let agrees = sealed == oracle
                #expect(agrees, "length \(length)")
            }
            let opened = try key.open(sealed, associatedData: associatedData, nonce: nonce)
            let opens = opened == plaintext
            #expect(opens, "length \(length)")
        }
    }

    /// Noise §12.3 and §12.4, written down a second time.
    private static func layOut(_ nonce: UInt64, _ backend: AEADBackend) -> [UInt8] {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: nonce >> UInt64(8 * $0)) }
        return [0, 0, 0, 0] + (backend == .chaChaPoly ? bytes : bytes.reversed())
    }

    @Test("Associated data alone, up to 65,535 bytes", arguments: AEADBackend.allCases)
    func associatedDataOnly(backend: AEADBackend) throws {
        let key = try backend.key()
        for length in [0, 1, 15, 16, 17, 255, 16_384, 65_518, 65_519, 65_535] {
            let associatedData = Self.bytes(length)
            let tag = try key.seal([], associatedData: associatedData, nonce: 9)
            for oracle in try backend.oracles(
                key: AEADBackend.sampleKey, nonce: Self.layOut(9, backend), associatedData: associatedData,
                plaintext: [])
            {
                #expect(tag == oracle, "length \(length)")
            }
            #expect(try key.open(tag, associatedData: associatedData, nonce: 9) == [])
            guard length > 0 else { continue }
            for position in [0, length / 2, length - 1] {
                var changed = associatedData
                changed[position] ^= 0x10
                #expect(throws: CryptoFailure.authenticationFailed) {
                    try key.open(tag, associatedData: changed, nonce: 9)
                }
            }
        }
    }

    @Test(
        "Every changed bit of ciphertext, tag, associated data and nonce is detected", arguments: AEADBackend.allCases)
    func everyBit(backend: AEADBackend) throws {
        let key = try backend.key()
        let (plaintext, associatedData) = (Self.bytes(53), Self.bytes(9))
        let sealed = try key.seal(plaintext, associatedData: associatedData, nonce: 77)
        for bit in 0..<sealed.count * 8 {
            var changed = sealed
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: CryptoFailure.authenticationFailed, "sealed bit \(bit)") {
                try key.open(changed, associatedData: associatedData, nonce: 77)
            }
        }
        for bit in 0..<associatedData.count * 8 {
            var changed = associatedData
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(throws: CryptoFailure.authenticationFailed, "associated bit \(bit)") {
                try key.open(sealed, associatedData: changed, nonce: 77)
            }
        }
        for bit in 0..<UInt64(64) {
            #expect(throws: CryptoFailure.authenticationFailed, "nonce bit \(bit)") {
                try key.open(sealed, associatedData: associatedData, nonce: 77 ^ 1 << bit)
            }
        }
        // And the genuine one still opens.
        #expect(try key.open(sealed, associatedData: associatedData, nonce: 77) == plaintext)
    }

    @Test("Every prefix is refused, and so is every extension by a byte", arguments: AEADBackend.allCases)
    func everyPrefix(backend: AEADBackend) throws {
        let key = try backend.key()
        for length in [0, 1, 40] {
            let sealed = try key.seal(Self.bytes(length), associatedData: [1], nonce: 3)
            for count in 0..<sealed.count {
                #expect(throws: CryptoFailure.authenticationFailed, "\(count) of \(sealed.count) bytes") {
                    try key.open(Array(sealed[..<count]), associatedData: [1], nonce: 3)
                }
            }
            #expect(throws: CryptoFailure.authenticationFailed) {
                try key.open(sealed + [0], associatedData: [1], nonce: 3)
            }
            // Bytes do not move between associated data and ciphertext unseen.
            #expect(throws: CryptoFailure.authenticationFailed) {
                try key.open(Array(sealed.dropFirst()), associatedData: [1, sealed[0]], nonce: 3)
            }
        }
    }

    @Test("A refused opening leaves the output unchanged, without plaintext", arguments: AEADBackend.allCases)
    func nothingIsReleased(backend: AEADBackend) throws {
        let key = try backend.key()
        for length in [1, 15, 16, 100, 16_384, 65_519] {
            // 0x77 is neither what the memory held (0xAA) nor a wiped byte.
            var sealed = try key.seal([UInt8](repeating: 0x77, count: length), associatedData: [], nonce: 1)
            sealed[sealed.count - 1] ^= 1
            let memory = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: length + 8)
            defer { memory.deallocate() }
            memory.initialize(repeating: 0xAA)
            var output = OutputSpan(buffer: memory, initializedCount: 3)
            let nothing: [UInt8] = []
            #expect(throws: CryptoFailure.authenticationFailed) {
                try key.open(sealed.span, associatedData: nothing.span, nonce: 1, into: &output)
            }
            let initialized = output.finalize(for: memory)
            #expect(initialized == 3)
            #expect(memory.prefix(3).allSatisfy { $0 == 0xAA })
            #expect(!memory.contains(0x77), "length \(length)")
            #expect(memory.suffix(5).allSatisfy { $0 == 0xAA }, "nothing is written past the plaintext's place")
        }
    }

    @Test("An opening appends to the output", arguments: AEADBackend.allCases)
    func appends(backend: AEADBackend) throws {
        let key = try backend.key()
        var output: [UInt8] = []
        try output.append(addingCapacity: 9) { (span: inout OutputSpan<UInt8>) in
            for part in [[1, 2, 3], [], [4], [5, 6, 7, 8, 9]] as [[UInt8]] {
                let sealed = try key.seal(part, associatedData: [], nonce: 0)
                let nothing: [UInt8] = []
                try key.open(sealed.span, associatedData: nothing.span, nonce: 0, into: &span)
            }
        }
        #expect(output == [1, 2, 3, 4, 5, 6, 7, 8, 9])
    }

    @Test("Keys of other lengths than 32 bytes are refused", arguments: AEADBackend.allCases, [0, 16, 31, 33, 64])
    func keyLength(backend: AEADBackend, count: Int) {
        #expect(throws: CryptoFailure.malformedKey) { try backend.key([UInt8](repeating: 1, count: count)) }
    }

    @Test("A key consumes its secret: locked memory holds the backend's state, and is wiped after it")
    func secretIsConsumed() throws {
        let crypto = try SodiumProvider()
        let bytes = AEADBackend.sampleKey
        do {
            let key = try crypto.chaChaPoly.makeKey(crypto.secrets.makeSecret(copying: bytes.span))
            #expect(crypto.secrets.usage.usedSlots == 1)
            #expect(try key.seal([], associatedData: [], nonce: 0).count == 16)
        }
        let key = try GnuTLSAESGCM().makeKey(crypto.secrets.makeSecret(copying: bytes.span))
        #expect(crypto.secrets.usage.usedSlots == 0, "GnuTLS has its own copy, expanded")
        #expect(try key.seal([], associatedData: [], nonce: 0).count == 16)
        #expect(crypto.secrets.freeSlotsAreZero)
    }
}
