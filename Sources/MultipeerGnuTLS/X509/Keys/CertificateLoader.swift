public import MultipeerCertificates
public import MultipeerCrypto

/// Reads certificates and keys from PEM text, as openssl and certtool write it.
public enum CertificateLoader {
    /// The most bytes of a text with a chain.
    public static let maximumChainLength = 131_072
    /// The most bytes of a text with a private key.
    public static let maximumKeyLength = 65_536
    /// The most bytes of a text with trust anchors; a Linux distribution's whole bundle has about 220 KiB.
    public static let maximumAnchorsLength = 1_048_576

    /// Reads a chain (leaf first, as `CERTIFICATE` blocks) and the key of its leaf (PKCS #8, SEC 1 or PKCS #1).
    /// - Parameters:
    ///   - chainPEM: The chain.
    ///   - keyPEM: The private key.
    ///   - ed25519: Holds an Ed25519 key and signs with it in place of GnuTLS, in locked memory and faster.
    public static func local(
        chainPEM: Span<UInt8>, keyPEM: Span<UInt8>, ed25519: (any IdentitySignerFactory)? = nil
    ) throws(CertificateFileError) -> LocalCertificate {
        let chain = try chain(pem: chainPEM)
        return LocalCertificate(
            chain: chain, signer: try signer(keyPEM: keyPEM, for: chain.leaf, ed25519: ed25519))
    }

    /// Reads a chain, leaf first. Other blocks are skipped, so that one file may hold chain and key.
    public static func chain(pem: Span<UInt8>) throws(CertificateFileError) -> UnverifiedCertificateChain {
        let certificates = try certificates(pem: pem, maximumLength: maximumChainLength)
        do throws(CertificateChainError) {
            return try UnverifiedCertificateChain(certificates)
        } catch {
            throw .chain(error)
        }
    }

    /// Reads trust anchors, in any order.
    public static func anchors(pem: Span<UInt8>) throws(CertificateFileError) -> [Certificate] {
        try certificates(pem: pem, maximumLength: maximumAnchorsLength)
    }

    /// Reads trust anchors of a file with many, such as the one of a system's authorities. What cannot be an anchor is
    /// skipped and listed; see ``AnchorBundle``.
    /// - Throws: `CertificateFileError.noCertificate`, or, where no certificate at all can be read, the first reason.
    public static func anchorBundle(pem: Span<UInt8>) throws(CertificateFileError) -> AnchorBundle {
        guard pem.count <= maximumAnchorsLength else { throw .tooLarge(limit: maximumAnchorsLength) }
        let all = try PEM.decode(pem).filter { $0.label == .certificate }.map { Certificate(der: $0.bytes) }
        let bundle = AnchorBundle(all)
        guard bundle.anchors.isEmpty else { return bundle }
        // Nothing is of use: a person who reads one certificate wants to know what is wrong with it.
        return AnchorBundle(anchors: try certificates(pem: pem, maximumLength: maximumAnchorsLength), skipped: [])
    }

    private static func certificates(
        pem: Span<UInt8>, maximumLength: Int
    ) throws(CertificateFileError) -> [Certificate] {
        guard pem.count <= maximumLength else { throw .tooLarge(limit: maximumLength) }
        var certificates: [Certificate] = []
        for block in try PEM.decode(pem) where block.label == .certificate {
            let certificate = Certificate(der: block.bytes)
            guard (try? CertificateFields(certificate)) != nil, (try? NativeCertificate(der: block.bytes)) != nil else {
                throw .malformedCertificate(index: certificates.count)
            }
            certificates.append(certificate)
        }
        guard !certificates.isEmpty else { throw .noCertificate }
        return certificates
    }

    /// SHA-256 of the leaf's SubjectPublicKeyInfo, as
    /// `openssl x509 -pubkey -noout | openssl pkey -pubin -outform der | sha256sum` prints it.
    /// - Throws: `CertificateRejection.malformed`.
    public static func fingerprint(of certificate: Certificate) throws(CertificateRejection) -> KeyFingerprint {
        guard let fingerprint = try CertificateFields(certificate).keyFingerprint else { throw .malformed }
        return fingerprint
    }
}
