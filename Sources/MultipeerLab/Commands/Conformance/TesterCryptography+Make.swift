import MultipeerCertificates
import MultipeerCommandLine
import MultipeerConformance
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerTransfers

extension TesterCryptography {
    /// The tester's cryptography by this project's backends. Its identities and certificates end with the process.
    static func make(_ sodium: SodiumProvider) throws(CommandFailure) -> TesterCryptography {
        let crypto = try Cryptography.provider()
        do throws(AuthorityError) {
            let certificates = try certificates(sodium)
            return TesterCryptography(
                crypto: crypto, random: sodium.random,
                makeIdentity: { () throws(CryptoFailure) in
                    var random: any RandomSource = sodium.random
                    return try SodiumIdentity(random: &random, provider: sodium)
                }, certificates: certificates, bindingVerifier: GnuTLSBindingVerifier(strictEd25519: crypto.signatures))
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func certificates(_ sodium: SodiumProvider) throws(AuthorityError) -> [LocalCertificate] {
        guard let name = try? DisplayName("Conformance") else { return [] }
        let now = SystemClock.wall()
        let root = try CertificateAuthority.create(name: name, now: now, secrets: sodium.secrets)
        let pem = root.certificatePEM
        let authority = try root.privateKeyPEM.withBytes { (key) throws(AuthorityError) in
            try CertificateAuthority(certificatePEM: pem.span, keyPEM: key)
        }
        var certificates: [LocalCertificate] = []
        for algorithm: LeafKeyAlgorithm in [.ed25519, .ecdsaP256, .ecdsaP384, .rsa] {
            let issued = try authority.issue(to: name, algorithm: algorithm, now: now, secrets: sodium.secrets)
            do throws(CertificateFileError) {
                let signer = try issued.privateKeyPEM.withBytes { (key) throws(CertificateFileError) in
                    try CertificateLoader.signer(keyPEM: key, for: issued.certificate)
                }
                guard let chain = try? UnverifiedCertificateChain([issued.certificate]) else { continue }
                certificates.append(LocalCertificate(chain: chain, signer: signer))
            } catch {
                throw .file(error)
            }
        }
        return certificates
    }
}
