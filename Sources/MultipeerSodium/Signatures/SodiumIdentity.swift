internal import CSodium
public import MultipeerCrypto

/// An identity's Ed25519 private key, in locked memory, wiped when the last reference goes.
///
/// What it *is* is a seed of 32 bytes (RFC 8032 §5.1.5); to store it is to store the seed.
public final class SodiumIdentity: IdentitySigner {
    public let identityKey: IdentityKey
    /// libsodium's form: seed ‖ public key.
    private let secretKey: Secret

    /// Makes a new identity from 32 bytes of `random`.
    /// - Throws: `CryptoFailure.outOfSecretMemory`.
    public convenience init(random: inout any RandomSource, provider: SodiumProvider) throws(CryptoFailure) {
        var seed = try provider.secrets.makeSecret(count: Ed25519.seedLength)
        seed.withMutableBytes { bytes in random.fill(&bytes) }
        try self.init(seed: seed, provider: provider)
    }

    /// Takes a stored identity up again.
    /// - Parameter seed: 32 bytes, consumed and wiped.
    /// - Parameter provider: The primitives.
    /// - Throws: `CryptoFailure.malformedKey` for another length, `CryptoFailure.outOfSecretMemory`.
    public init(seed: consuming Secret, provider: SodiumProvider) throws(CryptoFailure) {
        guard seed.count == Ed25519.seedLength else { throw .malformedKey }
        var secretKey = try provider.secrets.makeSecret(count: Ed25519.secretKeyLength)
        var publicKey = [UInt8](repeating: 0, count: IdentityKey.length)
        let status = seed.withBytes { seed in
            secretKey.withMutableBytes { secretKey in
                unsafe seed.withAddress { seed in
                    // SAFETY: reads 32 bytes of seed, writes 32 and 64 bytes; all have these lengths.
                    unsafe secretKey.withMutableAddress { unsafe crypto_sign_seed_keypair(&publicKey, $0, seed) }
                }
            }
        }
        guard status == 0 else { throw .backendRefused(code: status) }
        identityKey = try IdentityKey(rawBytes: publicKey)
        self.secretKey = secretKey
    }

    public func sign(_ message: Span<UInt8>) throws(CryptoFailure) -> [UInt8] {
        var signature = [UInt8](repeating: 0, count: Ed25519.signatureLength)
        let status = secretKey.withBytes { secretKey in
            unsafe secretKey.withAddress { secretKey in
                // SAFETY: 64 bytes of key, `count` of message, and 64 of signature to write.
                unsafe message.withAddress { start in
                    unsafe crypto_sign_detached(&signature, nil, start, UInt64(message.count), secretKey)
                }
            }
        }
        guard status == 0 else { throw .backendRefused(code: status) }
        return signature
    }

    /// Lends the 32 bytes of the seed, to be written to a private file. The body must not keep a copy.
    public func withSeed<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try secretKey.withBytes { (secretKey) throws(Failure) in
            try body(secretKey.extracting(first: Ed25519.seedLength))
        }
    }
}
