public import Foundation
import MultipeerCertificates
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerStorage

/// A certificate with its private key: what `SecIdentity` is on Apple's systems. It is the first element of
/// ``MCSession/securityIdentity``.
///
/// ```swift
/// let identity = try MCSecurityIdentity.securityIdentity(
///     certificatesAt: URL(fileURLWithPath: "anna.pem"), privateKeyAt: URL(fileURLWithPath: "anna.key"))
/// let session = MCSession(peer: me, securityIdentity: identity, encryptionPreference: .required)
/// ```
public final class MCSecurityIdentity: Sendable {
    /// The certificate. Its key is not shown to anybody.
    public let certificate: MCCertificate
    let signer: any BindingSigner

    init(_ certificate: MCCertificate, _ signer: any BindingSigner) {
        self.certificate = certificate
        self.signer = signer
    }

    /// Reads a certificate and its key.
    /// - Parameters:
    ///   - certificate: A PEM file, whose first certificate counts.
    ///   - key: A PEM file with the key (PKCS #8, SEC 1 or PKCS #1, without a password), which only its owner may read.
    /// - Throws: ``MCError``, `invalidParameter`.
    public convenience init(certificateAt certificate: URL, privateKeyAt key: URL) throws {
        let leaf = try Self.chain(at: certificate)[0]
        self.init(leaf, try Self.signer(at: key, for: leaf))
    }

    /// Reads what ``MCSession/init(peer:securityIdentity:encryptionPreference:)`` takes: the identity, and after it the
    /// certificates of the authorities in between.
    /// - Parameters:
    ///   - certificates: A PEM file with the certificate of the local peer, and after it those of authorities, if there
    ///     are any.
    ///   - key: A PEM file with the key of the first certificate, which only its owner may read.
    /// - Throws: ``MCError``, `invalidParameter`.
    public static func securityIdentity(certificatesAt certificates: URL, privateKeyAt key: URL) throws -> [Any] {
        let chain = try chain(at: certificates)
        let own = MCSecurityIdentity(chain[0], try signer(at: key, for: chain[0]))
        return [own as Any] + chain.dropFirst().map { $0 as Any }
    }

    private static func chain(at url: URL) throws -> [MCCertificate] {
        try MCCertificate.certificates(inPEMFileAt: url)
    }

    private static func signer(at url: URL, for leaf: MCCertificate) throws -> any BindingSigner {
        let sodium = Cryptography.sodium
        return try PEMFile.reporting(url) {
            let text = try CertificateFiles.readPrivateKey(at: url.path, secrets: sodium.secrets)
            return try text.withBytes { (text) throws(CertificateFileError) in
                try CertificateLoader.signer(keyPEM: text, for: leaf.certificate, ed25519: sodium)
            }
        }
    }

    /// What a session shows to others, of the array that its app gave.
    /// - Precondition: The first element is an identity, and all others are certificates.
    static func local(_ identity: [Any]) -> LocalCertificate {
        guard let first = identity.first as? MCSecurityIdentity else {
            AppArgument.stop("securityIdentity: the first element must be an MCSecurityIdentity")
        }
        let rest = identity.dropFirst().map { element in
            guard let certificate = element as? MCCertificate else {
                AppArgument.stop("securityIdentity: all elements after the first must be MCCertificate")
            }
            return certificate.certificate
        }
        do throws(CertificateChainError) {
            let chain = try UnverifiedCertificateChain([first.certificate.certificate] + rest)
            return LocalCertificate(chain: chain, signer: first.signer)
        } catch {
            AppArgument.stop("securityIdentity: the certificates are too many, or too long (\(error))")
        }
    }
}
