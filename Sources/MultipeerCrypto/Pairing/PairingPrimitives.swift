/// What short strings and one-time codes are made of (SPEC §25).
///
/// A class for the reason that ``CryptoProvider`` is one.
public final class PairingPrimitives: Sendable {
    /// Guarded memory.
    public let secrets: any SecretAllocator
    /// SHA-256 and HMAC-SHA-256.
    public let hashing: any Hashing
    /// SHA-512.
    public let wideHashing: any WideHashing
    /// ristretto255.
    public let group: any PrimeOrderGroup

    /// Creates a set from its parts.
    public init(
        secrets: any SecretAllocator, hashing: any Hashing, wideHashing: any WideHashing, group: any PrimeOrderGroup
    ) {
        self.secrets = secrets
        self.hashing = hashing
        self.wideHashing = wideHashing
        self.group = group
    }
}
