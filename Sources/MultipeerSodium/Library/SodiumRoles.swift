public import MultipeerCrypto

/// Every role that libsodium fills. To have one of these pieces is to have the library started.
///
/// Make one a process and pass it on: its ``LockedMemory`` shares locked pages among all keys.
public struct SodiumRoles: Sendable {
    /// Guarded memory.
    public let secrets: LockedMemory
    /// X25519.
    public let agreement: X25519
    /// SHA-256 and Noise's HKDF.
    public let hashing: SHA256
    /// SHA-256 of files, in portable C. A backend with hardware support is several times as fast.
    public let bulkDigest: SodiumBulkDigest
    /// Ed25519 verification.
    public let signatures: Ed25519Verifier
    /// ChaCha20-Poly1305 (RFC 8439).
    public let chaChaPoly: ChaChaPoly
    /// The system's random generator.
    public let random: SystemRandomSource

    /// Starts libsodium.
    /// - Throws: `CryptoFailure.backendRefused` when it does not start.
    public init() throws(CryptoFailure) {
        try SodiumLibrary.start()
        let secrets = LockedMemory()
        self.secrets = secrets
        agreement = X25519(secrets: secrets)
        hashing = SHA256(secrets: secrets)
        bulkDigest = SodiumBulkDigest()
        signatures = Ed25519Verifier()
        chaChaPoly = ChaChaPoly(secrets: secrets)
        random = SystemRandomSource()
    }

    /// All roles of a link, with those that another library fills.
    public func joined(aesGCM: any AEAD, bulkDigest: any BulkDigest) -> CryptoProvider {
        CryptoProvider(
            secrets: secrets, agreement: agreement, hashing: hashing, bulkDigest: bulkDigest, signatures: signatures,
            chaChaPoly: chaChaPoly, aesGCM: aesGCM)
    }
}
