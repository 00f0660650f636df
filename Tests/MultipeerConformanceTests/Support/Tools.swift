import MultipeerCertificates
import MultipeerConformance
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerTestSupport

/// Real cryptography for tester and peers.
enum Tools {
    static let sodium = TestProvider.sodium
    static let crypto = TestProvider.all

    /// One certificate of each kind of key, all of one authority.
    static let certificates: [LocalCertificate] = {
        do {
            return try [.ed25519, .ecdsaP256, .ecdsaP384, .rsa].map(certificate)
        } catch {
            fatalError("no certificates: \(error)")
        }
    }()

    static func certificate(_ algorithm: LeafKeyAlgorithm) throws -> LocalCertificate {
        let now = secondsNow()
        let name = try DisplayName("Conformance")
        let root = try CertificateAuthority.create(name: name, now: now, secrets: sodium.secrets)
        let pem = root.certificatePEM
        let authority = try root.privateKeyPEM.withBytes { key in
            try CertificateAuthority(certificatePEM: pem.span, keyPEM: key)
        }
        let issued = try authority.issue(to: name, algorithm: algorithm, now: now, secrets: sodium.secrets)
        let signer = try issued.privateKeyPEM.withBytes { key in
            try CertificateLoader.signer(keyPEM: key, for: issued.certificate)
        }
        return LocalCertificate(chain: try UnverifiedCertificateChain([issued.certificate]), signer: signer)
    }

    static func identity() throws(CryptoFailure) -> any IdentitySigner {
        var random: any RandomSource = sodium.random
        return try SodiumIdentity(random: &random, provider: sodium)
    }

    static let cryptography = TesterCryptography(
        crypto: crypto, random: sodium.random, makeIdentity: { () throws(CryptoFailure) in try identity() },
        certificates: certificates, bindingVerifier: GnuTLSBindingVerifier())
}
