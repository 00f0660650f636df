import MultipeerCrypto
import MultipeerTestSupport
import Testing

@Suite("AEAD known answers of Wycheproof, SPEC §12")
struct WycheproofAEADTests {
    @Test(
        "ChaCha20-Poly1305, 325 cases",
        .enabled(if: ExternalVectors.has("wycheproof/chacha20_poly1305_test.json")))
    func chaChaPoly() throws {
        let counts = try run("chacha20_poly1305_test.json", on: .chaChaPoly)
        #expect(counts == Counts(valid: 256, forged: 60, otherNonceLength: 9))
    }

    @Test(
        "AES-256-GCM, 66 cases", .enabled(if: ExternalVectors.has("wycheproof/aes_256_gcm_iv96_filtered.json")))
    func aesGCM() throws {
        let counts = try run("aes_256_gcm_iv96_filtered.json", on: .aesGCM)
        #expect(counts == Counts(valid: 39, forged: 27, otherNonceLength: 0))
    }

    private struct Counts: Equatable {
        var valid = 0
        var forged = 0
        var otherNonceLength = 0
    }

    private func run(_ file: String, on backend: AEADBackend) throws -> Counts {
        var counts = Counts()
        for test in try WycheproofFile<Group>.groups(file).flatMap(\.tests) {
            guard let nonce = RawNonce(test.iv.bytes) else {
                // Our nonces have 12 bytes by construction; all such cases are invalid ones.
                #expect(test.result == .invalid, "case \(test.tcId)")
                counts.otherNonceLength += 1
                continue
            }
            let key = try backend.rawKey(test.key.bytes)
            let opened = Self.open(test, key, nonce)
            if test.result == .valid {
                #expect(try Self.seal(test, key, nonce) == test.ct.bytes + test.tag.bytes, "case \(test.tcId)")
                #expect(opened == .success(test.msg.bytes), "case \(test.tcId)")
                counts.valid += 1
            } else {
                #expect(opened == .failure(.authenticationFailed), "case \(test.tcId)")
                counts.forged += 1
            }
        }
        return counts
    }

    private static func seal(_ test: Group.Test, _ key: any RawNonceAEADKey, _ nonce: RawNonce) throws -> [UInt8] {
        var buffer = test.aad.bytes + test.msg.bytes + [UInt8](repeating: 0, count: aeadTagLength)
        let start = test.aad.bytes.count
        var bytes = buffer.mutableSpan
        try key.seal(
            &bytes, associatedData: 0..<start, plaintext: start..<start + test.msg.bytes.count, rawNonce: nonce)
        return Array(buffer[start...])
    }

    private static func open(
        _ test: Group.Test, _ key: any RawNonceAEADKey, _ nonce: RawNonce
    ) -> Result<[UInt8], CryptoFailure> {
        let sealed = test.ct.bytes + test.tag.bytes
        var plaintext: [UInt8] = []
        do throws(CryptoFailure) {
            try plaintext.append(addingCapacity: sealed.count) {
                (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
                try key.open(sealed.span, associatedData: test.aad.bytes.span, rawNonce: nonce, into: &output)
            }
            return .success(plaintext)
        } catch { return .failure(error) }
    }

    private struct Group: Decodable, WycheproofGroup {
        struct Test: Decodable {
            let tcId: Int
            let key, iv, aad, msg, ct, tag: HexBytes
            let result: WycheproofResult
        }
        let tests: [Test]
        var testCount: Int { tests.count }
    }
}
