public import Foundation
import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium

extension MCSecurityIdentity {
    /// Makes what ``MCSession/init(peer:securityIdentity:encryptionPreference:)`` takes of bytes that the app has, such as from a bundle or
    /// a vault.
    /// - Parameters:
    ///   - certificates: The certificate of the local peer, and after it those of authorities, if there are any, as
    ///     PEM; or one certificate as DER.
    ///   - privateKey: The key of the first certificate (PKCS #8, SEC 1 or PKCS #1, without a password), as PEM or DER. Its bytes are
    ///     copied to memory of its own; the app wipes what it has itself.
    /// - Throws: ``MCError``, `invalidParameter`.
    public static func securityIdentity(certificates: Data, privateKey: Data) throws -> [Any] {
        let chain = try chain(of: certificates)
        let own = MCSecurityIdentity(chain[0], try signer(of: privateKey, for: chain[0]))
        return [own as Any] + chain.dropFirst().map { $0 as Any }
    }

    /// Makes a certificate with a new key, for an app that wants to show one and has no authority. It is issued by an authority of its own,
    /// whose key is gone when this returns, so that it looks to others like any certificate that nobody vouches for: they recognise its key
    /// (``MCCertificate/keyFingerprint``), and nothing else. It is another one each time.
    /// - Parameters:
    ///   - name: What is certified, 1 to 63 bytes of UTF-8 without control characters.
    ///   - days: How long it is valid, from now on: 1 to 7,300.
    /// - Throws: ``MCError``, `invalidParameter`.
    public static func selfSigned(named name: String, validForDays days: Int = 365) throws -> [Any] {
        do {
            let (name, secrets) = (try DisplayName(name), Cryptography.sodium.secrets)
            let now = Int64(Date().timeIntervalSince1970)
            let root = try CertificateAuthority.create(name: name, validityDays: days, now: now, secrets: secrets)
            let certificate = root.certificatePEM
            let authority = try root.privateKeyPEM.withBytes { (key) throws(AuthorityError) in
                try CertificateAuthority(certificatePEM: certificate.span, keyPEM: key)
            }
            let issued = try authority.issue(to: name, validityDays: days, now: now, secrets: secrets)
            let leaf = MCCertificate(issued.certificate)
            let signer = try issued.privateKeyPEM.withBytes { (key) throws(CertificateFileError) in
                try CertificateLoader.signer(keyPEM: key, for: leaf.certificate, ed25519: Cryptography.sodium)
            }
            return [MCSecurityIdentity(leaf, signer), MCCertificate(root.certificate)]
        } catch {
            throw MCError(.invalidParameter, "certificate: it cannot be made: \(error)", underlying: error)
        }
    }

    private static func chain(of bytes: Data) throws -> [MCCertificate] {
        let text = isPEM(bytes) ? Array(bytes) : PEM.encode(.certificate, Array(bytes))
        return try reporting("certificates") { () throws(CertificateFileError) in
            try CertificateLoader.chain(pem: text.span).certificates.map { MCCertificate($0) }
        }
    }

    private static func signer(of bytes: Data, for leaf: MCCertificate) throws -> any BindingSigner {
        var key = Array(bytes)
        defer { wipe(&key) }
        guard !isPEM(bytes) else { return try signer(keyPEM: key, for: leaf) }
        // DER does not say which of the three forms it is.
        var first: (any Error)?
        for form in [PEMLabel.privateKey, .ecPrivateKey, .rsaPrivateKey] {
            var text = PEM.encode(form, key)
            defer { wipe(&text) }
            do {
                return try signer(keyPEM: text, for: leaf)
            } catch {
                first = first ?? error
            }
        }
        throw first ?? MCError(.invalidParameter, "private key: there is none")
    }

    private static func signer(keyPEM text: [UInt8], for leaf: MCCertificate) throws -> any BindingSigner {
        try reporting("private key") { () throws(CertificateFileError) in
            try CertificateLoader.signer(keyPEM: text.span, for: leaf.certificate, ed25519: Cryptography.sodium)
        }
    }

    private static func reporting<Result>(
        _ what: String, _ body: () throws(CertificateFileError) -> Result
    ) throws(MCError) -> Result {
        do throws(CertificateFileError) {
            return try body()
        } catch {
            throw MCError(.invalidParameter, "\(what): \(error)", underlying: error)
        }
    }

    private static func isPEM(_ bytes: Data) -> Bool { bytes.firstRange(of: Data("-----BEGIN ".utf8)) != nil }

    private static func wipe(_ bytes: inout [UInt8]) { for index in bytes.indices { bytes[index] = 0 } }
}
