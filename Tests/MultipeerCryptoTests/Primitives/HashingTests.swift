import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("SHA-256 and HKDF, SPEC §9.4")
struct HashingTests {
    private let hashing = TestProvider.sodium.hashing

    @Test("FIPS 180-4 known answers, in pieces of any size")
    func hash() {
        let abc = Array("abc".utf8)
        let expected = hex("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        for cut in 0...3 {
            let (first, second) = (Array(abc[..<cut]), Array(abc[cut...]))
            let digest = hashing.hash(first.span, second.span)
            #expect(digest.rawBytes == expected)
        }
        let nothing: [UInt8] = []
        let empty = hashing.hash(nothing.span, nothing.span)
        #expect(empty.rawBytes == hex("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
    }

    @Test("Both bulk digests agree with HASH, in pieces of any size, and restart after finish()")
    func bulkDigests() throws {
        let million = [UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000)
        let backends: [any BulkDigest] = [GnuTLSBulkDigest(), TestProvider.sodium.bulkDigest]
        for backend in backends {
            let digester = try backend.makeDigester()
            for piece in [1, 7, 64, 4_096, 1_000_000] {
                var position = 0
                while position < million.count {
                    let end = min(position + piece, million.count)
                    digester.update(million.span.extracting(position..<end))
                    position = end
                }
                let digest = try digester.finish()
                #expect(
                    digest.rawBytes == hex("cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
                    "\(type(of: backend)), pieces of \(piece)")
            }
            let empty: [UInt8] = []
            digester.update(empty.span)
            let digest = try digester.finish()
            #expect(digest == hashing.hash(empty.span, empty.span))
            #expect(try digester.finish() == digest, "a digester without new input")
        }
    }

    @Test("A digester that is dropped half way is freed")
    func droppedDigester() throws {
        for _ in 0..<100 {
            try TestProvider.all.bulkDigest.makeDigester().update([1, 2, 3].span)
        }
    }

    @Test(
        "HMAC, Wycheproof, 174 cases",
        .enabled(if: ExternalVectors.has("wycheproof/hmac_sha256_test.json")))
    func hmac() throws {
        var seen = 0
        for group in try WycheproofFile<MacGroup>.groups("hmac_sha256_test.json") {
            for test in group.tests {
                let tag = try HMAC.authenticate(test.msg.bytes, key: test.key.bytes).prefix(group.tagSize / 8)
                #expect((Array(tag) == test.tag.bytes) == (test.result == .valid), "case \(test.tcId)")
                seen += 1
            }
        }
        #expect(seen == 174)
    }

    @Test(
        "HKDF of RFC 5869 on this HMAC, Wycheproof, 86 cases",
        .enabled(if: ExternalVectors.has("wycheproof/hkdf_sha256_test.json")))
    func hkdf() throws {
        var seen = 0
        var throughRole = 0
        for test in try WycheproofFile<HKDFGroup>.groups("hkdf_sha256_test.json").flatMap(\.tests) {
            seen += 1
            guard test.result == .valid else {
                #expect(test.size > 255 * 32, "case \(test.tcId): an invalid size is too long for HKDF")
                continue
            }
            let output = try HMAC.hkdf(
                salt: test.salt.bytes, inputKeyMaterial: test.ikm.bytes, info: test.info.bytes, count: test.size)
            #expect(output == test.okm.bytes, "case \(test.tcId)")

            // Noise's HKDF is RFC 5869's with an empty info (Noise §4.3).
            guard test.info.bytes.isEmpty, test.size <= 64 else { continue }
            let pair = try hashing.deriveKeys(
                chainingKey: try TestProvider.secret(test.salt.bytes), inputKeyMaterial: test.ikm.bytes.span)
            #expect(Array((pair.first.copied() + pair.second.copied()).prefix(test.size)) == test.okm.bytes)
            throughRole += 1
        }
        #expect(seen == 86)
        #expect(throughRole > 10, "the role itself met known answers")
    }

    @Test("Derivation leaves no secret behind but its two results")
    func derivationReleases() throws {
        let crypto = try SodiumProvider()
        let chainingKey = try crypto.secrets.makeSecret(copying: [UInt8](repeating: 3, count: 32).span)
        let pair = try crypto.hashing.deriveKeys(chainingKey: chainingKey, inputKeyMaterial: [1, 2, 3].span)
        #expect(crypto.secrets.usage.usedSlots == 3)
        #expect(crypto.secrets.freeSlotsAreZero)
        #expect(Set([pair.first.copied(), pair.second.copied(), chainingKey.copied()]).count == 3)
    }

    private struct MacGroup: Decodable, WycheproofGroup {
        struct Test: Decodable {
            let tcId: Int
            let key, msg, tag: HexBytes
            let result: WycheproofResult
        }
        let tagSize: Int
        let tests: [Test]
        var testCount: Int { tests.count }
    }

    private struct HKDFGroup: Decodable, WycheproofGroup {
        struct Test: Decodable {
            let tcId: Int
            let ikm, salt, info, okm: HexBytes
            let size: Int
            let result: WycheproofResult
        }
        let tests: [Test]
        var testCount: Int { tests.count }
    }
}

/// HMAC and the general HKDF on it, in ordinary memory. Only tests need the general form.
private enum HMAC {
    static func authenticate(_ message: [UInt8], key: [UInt8]) throws -> [UInt8] {
        let cut = message.count / 2
        return try HMACSHA256(secrets: TestProvider.sodium.secrets).authenticate(
            message.span.extracting(first: cut), message.span.extracting(droppingFirst: cut), key: key.span
        ).copied()
    }

    /// RFC 5869: extract, then expand.
    static func hkdf(salt: [UInt8], inputKeyMaterial: [UInt8], info: [UInt8], count: Int) throws -> [UInt8] {
        let pseudorandomKey = try authenticate(
            inputKeyMaterial, key: salt.isEmpty ? [UInt8](repeating: 0, count: 32) : salt)
        var output: [UInt8] = []
        var block: [UInt8] = []
        var counter: UInt8 = 1
        while output.count < count {
            block = try authenticate(block + info + [counter], key: pseudorandomKey)
            output += block
            counter &+= 1
        }
        return Array(output.prefix(count))
    }
}
