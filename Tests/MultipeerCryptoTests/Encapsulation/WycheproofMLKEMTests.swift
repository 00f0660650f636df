import MultipeerCrypto
import MultipeerTestSupport
import MultipeerWire
import Testing

/// The library's ML-KEM-768. Nothing takes the randomness of Encaps from outside, so those cases show the keys alone.
@Suite("ML-KEM-768 known answers of Wycheproof, SPEC §7.6", .enabled(if: TestProvider.all.keyEncapsulation != nil))
struct WycheproofMLKEMTests {
    private func backend() throws -> any KeyEncapsulation { try #require(TestProvider.all.keyEncapsulation) }

    @Test("Keys of 100 seeds", .enabled(if: ExternalVectors.has("wycheproof/mlkem_768_keygen_seed_test.json")))
    func keys() throws {
        let backend = try backend()
        for test in try WycheproofFile<Group>.groups("mlkem_768_keygen_seed_test.json").flatMap(\.tests) {
            let seed = try TestProvider.secret(#require(test.seed).bytes)
            #expect(try backend.encapsulationKey(of: seed) == test.ek?.bytes, "case \(test.tcId)")
        }
    }

    @Test("Secrets of 193 ciphertexts", .enabled(if: ExternalVectors.has("wycheproof/mlkem_768_test.json")))
    func secrets() throws {
        let backend = try backend()
        var counts = (valid: 0, invalid: 0)
        for test in try WycheproofFile<Group>.groups("mlkem_768_test.json").flatMap(\.tests) {
            let seed = try TestProvider.secret(#require(test.seed).bytes)
            let ciphertext = try #require(test.c).bytes
            if test.result == .valid {
                let secret = try backend.decapsulate(ciphertext, with: seed)
                #expect(secret.equals(try #require(test.K).bytes), "case \(test.tcId)")
                counts.valid += 1
            } else {
                #expect(throws: CryptoFailure.malformedKey, "case \(test.tcId)") {
                    _ = try backend.decapsulate(ciphertext, with: seed)
                }
                counts.invalid += 1
            }
        }
        #expect(counts == (153, 40))
    }

    @Test(
        "Keys that Encaps refuses, and takes",
        .enabled(if: ExternalVectors.has("wycheproof/mlkem_768_encaps_test.json"))
    )
    func encapsulation() throws {
        let backend = try backend()
        var counts = (valid: 0, invalid: 0)
        for test in try WycheproofFile<Group>.groups("mlkem_768_encaps_test.json").flatMap(\.tests) {
            let key = try #require(test.ek).bytes
            if test.result == .valid {
                #expect(try backend.encapsulate(to: key).ciphertext.count == 1_088, "case \(test.tcId)")
                counts.valid += 1
            } else {
                #expect(throws: CryptoFailure.malformedKey, "case \(test.tcId)") {
                    _ = try backend.encapsulate(to: key)
                }
                counts.invalid += 1
            }
        }
        #expect(counts == (133, 132))
    }

    @Test("What Encaps gives, Decaps gives again, and differs each time")
    func roundTrip() throws {
        let backend = try backend()
        let seed = try TestProvider.secret((1...64).map { UInt8($0) })
        let key = try backend.encapsulationKey(of: seed)
        let (one, other) = (try backend.encapsulate(to: key), try backend.encapsulate(to: key))
        #expect(one.ciphertext != other.ciphertext)
        for made in [one, other] {
            let secret = try backend.decapsulate(made.ciphertext, with: seed)
            #expect(made.secret.withBytes { bytes in secret.equals([UInt8](copying: bytes)) })
        }
    }

    private struct Group: Decodable, WycheproofGroup {
        struct Test: Decodable {
            let tcId: Int
            let result: WycheproofResult
            let seed: HexBytes?
            let ek: HexBytes?
            let c: HexBytes?
            // swift-format-ignore: AlwaysUseLowerCamelCase
            let K: HexBytes?
        }

        let tests: [Test]
        var testCount: Int { tests.count }
    }
}
