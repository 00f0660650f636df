public import MultipeerCrypto

/// Signs bindings with an Ed25519 key of another backend than the one that reads certificates.
///
/// The key of a certificate is not an identity key. It only has the same algorithm, and signs by the same code.
public final class Ed25519BindingSigner: BindingSigner {
    public let algorithm = SignatureAlgorithm.ed25519
    private let key: any IdentitySigner

    /// Creates a signer with the leaf's private key.
    public init(_ key: any IdentitySigner) {
        self.key = key
    }

    /// SPEC §10.3
    public func sign(_ message: Span<UInt8>) throws(CryptoFailure) -> [UInt8] { try key.sign(message) }
}
