public import MultipeerCrypto

/// Signs the binding of a certificate to a link with the leaf's private key (SPEC §10.3).
///
/// A class, because states of a link hold it (docs/decisions/0004).
public protocol BindingSigner: AnyObject, Sendable {
    /// What ``sign(_:)`` returns.
    var algorithm: SignatureAlgorithm { get }

    /// The signature over `message` (not over a hash of it).
    func sign(_ message: Span<UInt8>) throws(CryptoFailure) -> [UInt8]
}

/// What the local peer shows: a chain and the key of its leaf.
public struct LocalCertificate: Sendable {
    /// Leaf first.
    public let chain: UnverifiedCertificateChain
    /// Holds the leaf's private key.
    public let signer: any BindingSigner

    /// Creates a certificate from a chain and its key. The caller makes sure that they belong together.
    public init(chain: UnverifiedCertificateChain, signer: any BindingSigner) {
        self.chain = chain
        self.signer = signer
    }
}

/// Checks that the peer holds the key of the leaf that it shows (SPEC §10.4). This says nothing about trust.
public protocol BindingVerifier: Sendable {
    /// Verifies `signature` over `message` by the key in the leaf of `chain`, and returns that key's fingerprint.
    /// - Throws: ``CertificateRejection/malformed``, ``CertificateRejection/unsupportedKey``,
    ///   ``CertificateRejection/weakKey``, ``CertificateRejection/bindingInvalid``.
    func verifyBinding(
        _ signature: Span<UInt8>, algorithm: SignatureAlgorithm, over message: Span<UInt8>,
        by chain: UnverifiedCertificateChain
    ) throws(CertificateRejection) -> KeyFingerprint
}
