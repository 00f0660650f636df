/// The X25519 function (RFC 7748).
public protocol KeyAgreement: Sendable {
    /// Makes a private key from 32 bytes of `random`, straight into guarded memory.
    func makePrivateKey(random: inout any RandomSource) throws(CryptoFailure) -> AgreementPrivateKey

    /// Wraps a given private key. For test vectors: a session takes its keys from ``makePrivateKey(random:)``.
    func makePrivateKey(rawBytes: Span<UInt8>) throws(CryptoFailure) -> AgreementPrivateKey

    /// The public key that belongs to `privateKey`.
    func publicKey(of privateKey: borrowing AgreementPrivateKey) throws(CryptoFailure) -> AgreementPublicKey

    /// The shared secret, 32 bytes. An ephemeral private key is used once, so it is consumed.
    /// - Throws: ``CryptoFailure/weakPublicKey`` when the result is all zero.
    func agree(
        _ privateKey: consuming AgreementPrivateKey, with publicKey: AgreementPublicKey
    ) throws(CryptoFailure) -> Secret
}

/// An X25519 private key, 32 bytes, in guarded memory.
public struct AgreementPrivateKey: ~Copyable, Sendable {
    /// The clamped or unclamped scalar; X25519 clamps by itself.
    public let scalar: Secret

    /// Wraps the scalar. Called by backends.
    public init(scalar: consuming Secret) {
        self.scalar = scalar
    }
}

/// An X25519 public key: the 32 bytes of the u-coordinate, little-endian.
public struct AgreementPublicKey: Hashable, Sendable {
    /// The length in bytes.
    public static let length = 32

    /// Exactly 32 bytes.
    public let rawBytes: [UInt8]

    /// - Throws: ``CryptoFailure/malformedKey`` unless there are 32 bytes.
    public init(rawBytes: [UInt8]) throws(CryptoFailure) {
        guard rawBytes.count == Self.length else { throw .malformedKey }
        self.rawBytes = rawBytes
    }
}
