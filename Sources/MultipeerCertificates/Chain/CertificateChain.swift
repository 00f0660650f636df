/// One X.509 certificate, DER.
public struct Certificate: Hashable, Sendable {
    /// The DER bytes as they came, neither parsed nor verified.
    public let der: [UInt8]

    /// Wraps DER bytes.
    public init(der: [UInt8]) {
        self.der = der
    }
}

/// A chain as a peer sent it, leaf first. As the name says, it is not verified yet.
public struct UnverifiedCertificateChain: Hashable, Sendable {
    /// The most certificates in a chain (SPEC §10.2).
    public static let maximumCount = 8
    /// The most bytes of one certificate (SPEC §10.2).
    public static let maximumCertificateLength = 16_384
    /// The most bytes of all certificates together (SPEC §10.2).
    public static let maximumTotalLength = 49_152

    /// Leaf first; never empty.
    public let certificates: [Certificate]

    /// The peer's own certificate.
    public var leaf: Certificate { certificates[0] }

    /// - Throws: ``CertificateChainError`` when the chain is empty or over a limit.
    public init(_ certificates: [Certificate]) throws(CertificateChainError) {
        guard !certificates.isEmpty else { throw .empty }
        guard certificates.count <= Self.maximumCount else { throw .tooManyCertificates }
        var total = 0
        for certificate in certificates {
            guard !certificate.der.isEmpty else { throw .emptyCertificate }
            guard certificate.der.count <= Self.maximumCertificateLength else { throw .certificateTooLong }
            total += certificate.der.count
        }
        guard total <= Self.maximumTotalLength else { throw .chainTooLong }
        self.certificates = certificates
    }
}

/// Why certificates do not make a chain.
public enum CertificateChainError: Error, Equatable, Sendable {
    case empty
    case emptyCertificate
    case tooManyCertificates
    case certificateTooLong
    case chainTooLong
}
