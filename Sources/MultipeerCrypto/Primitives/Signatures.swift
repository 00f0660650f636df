/// Checks Ed25519 signatures (RFC 8032) by identity keys.
public protocol IdentitySignatureVerifier: Sendable {
    /// Whether `signature` (64 bytes) is `key`'s signature of `message`.
    ///
    /// False for a wrong length, a non-canonical scalar and a low-order key (SPEC §9.6).
    func isValid(_ signature: Span<UInt8>, of message: Span<UInt8>, by key: IdentityKey) -> Bool
}

/// Holds an identity's private key and signs with it.
///
/// Each signed message begins with a label of SPEC §9.5 that names the purpose. An identity key has no other use.
public protocol IdentitySigner: Sendable {
    /// The public half: who this is.
    var identityKey: IdentityKey { get }

    /// The Ed25519 signature of `message`, 64 bytes.
    func sign(_ message: Span<UInt8>) throws(CryptoFailure) -> [UInt8]
}

/// Makes signers out of stored Ed25519 keys.
public protocol IdentitySignerFactory: Sendable {
    /// Gives memory for the seed.
    var secretAllocator: any SecretAllocator { get }

    /// A signer with the key of this seed (RFC 8032 §5.1.5): 32 bytes, consumed and wiped.
    /// - Throws: ``CryptoFailure/malformedKey`` for another length, ``CryptoFailure/outOfSecretMemory``.
    func makeSigner(seed: consuming Secret) throws(CryptoFailure) -> any IdentitySigner
}
