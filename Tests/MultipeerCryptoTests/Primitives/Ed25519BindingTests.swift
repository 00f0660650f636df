import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("Bindings by Ed25519 keys of certificates, SPEC §10.3")
struct Ed25519BindingTests {
    /// A certificate with this key. Its own signature is wrong, which a binding does not look at.
    private func chain(key: [UInt8]) throws -> UnverifiedCertificateChain {
        let root = try CertificateAuthority.create(
            name: try DisplayName("Key"), now: 1_700_000_000, secrets: TestProvider.sodium.secrets)
        var der = root.certificate.der
        // SubjectPublicKeyInfo of RFC 8410 §4, up to the key.
        let head: [UInt8] = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00]
        let start = try #require(der.indices.first { der[$0...].starts(with: head) }) + head.count
        der.replaceSubrange(start..<start + key.count, with: key)
        return try UnverifiedCertificateChain([Certificate(der: der)])
    }

    private func isAccepted(
        _ signature: [UInt8], _ message: [UInt8], by chain: UnverifiedCertificateChain
    ) -> Bool {
        let verifier = GnuTLSBindingVerifier(strictEd25519: TestProvider.sodium.signatures)
        let fingerprint = try? verifier.verifyBinding(
            signature.span, algorithm: .ed25519, over: message.span, by: chain)
        return fingerprint != nil
    }

    @Test("An identity key that SPEC §9.6 refuses is refused as a leaf's key too, R9.6-2", arguments: LaxCase.refused)
    func refused(test: LaxCase) throws {
        #expect(try !isAccepted(test.signature, test.message, by: chain(key: test.key)))
    }

    @Test("An identity key that SPEC §9.6 accepts is accepted as a leaf's key too", arguments: LaxCase.accepted)
    func accepted(test: LaxCase) throws {
        #expect(try isAccepted(test.signature, test.message, by: chain(key: test.key)))
    }

    @Test("Known answers of RFC 8032 §7.1 bind, and none with a changed bit does", arguments: Ed25519Case.known)
    func knownAnswers(test: Ed25519Case) throws {
        let chain = try chain(key: test.key)
        #expect(isAccepted(test.signature, test.message, by: chain))
        for index in test.signature.indices {
            var changed = test.signature
            changed[index] ^= 0x01
            #expect(!isAccepted(changed, test.message, by: chain))
        }
    }

    @Test("libsodium signs with a certificate's key as GnuTLS does, and holds it in locked memory")
    func signers() throws {
        let sodium = try SodiumProvider()
        let made = try CertificateAuthority.create(
            name: try DisplayName("Key"), now: 1_700_000_000, secrets: TestProvider.sodium.secrets)
        let message = Array("binding".utf8)
        let (one, other) = try made.privateKeyPEM.withBytes { key in
            (
                try CertificateLoader.signer(keyPEM: key, for: made.certificate) as any BindingSigner,
                try CertificateLoader.signer(keyPEM: key, for: made.certificate, ed25519: sodium)
            )
        }
        #expect(other is Ed25519BindingSigner)
        #expect(other.algorithm == .ed25519)
        #expect(try one.sign(message.span) == other.sign(message.span))
        #expect(sodium.secrets.usage.usedSlots == 1)
        // A key of another certificate, and a key of another type.
        let foreign = try CertificateAuthority.create(
            name: try DisplayName("Other"), now: 1_700_000_000, secrets: TestProvider.sodium.secrets)
        #expect(throws: CertificateFileError.keyDoesNotMatchLeaf) {
            try made.privateKeyPEM.withBytes { key in
                try CertificateLoader.signer(keyPEM: key, for: foreign.certificate, ed25519: sodium)
            }
        }
        let curve = try CertificateAuthority.create(
            name: try DisplayName("Curve"), algorithm: .ecdsaP256, now: 1_700_000_000,
            secrets: TestProvider.sodium.secrets)
        let signer = try curve.privateKeyPEM.withBytes { key in
            try CertificateLoader.signer(keyPEM: key, for: curve.certificate, ed25519: sodium)
        }
        #expect(signer is GnuTLSBindingSigner)
    }
}
