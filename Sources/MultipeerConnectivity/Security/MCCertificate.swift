public import Foundation
import MultipeerCertificates
import MultipeerGnuTLS

/// A certificate (X.509), as a peer shows it, or as the local peer does: what `SecCertificate` is on Apple's systems.
public struct MCCertificate: Hashable, Sendable {
    /// The bytes, neither parsed nor verified. On Apple's systems that is `SecCertificateCopyData(_:)`.
    public let derBytes: Data

    /// Wraps the bytes of a certificate (DER).
    public init(derBytes: Data) { self.derBytes = derBytes }

    init(_ certificate: Certificate) { derBytes = Data(certificate.der) }

    var certificate: Certificate { Certificate(der: Array(derBytes)) }

    /// Reads the certificates of a PEM file, as openssl and certtool write it, in their order.
    /// - Throws: ``MCError``, `invalidParameter`.
    public static func certificates(inPEMFileAt url: URL) throws -> [MCCertificate] {
        let text = try PEMFile.read(url)
        return try PEMFile.reporting(url) {
            try CertificateLoader.chain(pem: text.span).certificates.map(MCCertificate.init)
        }
    }

    /// The SHA-256 of the certificate's key, as `sha256:` and 64 digits, for people to compare; nil if these bytes are no
    /// certificate. It stays the same when the certificate is renewed with the same key.
    public var keyFingerprint: String? { try? CertificateLoader.fingerprint(of: certificate).description }
}
