/// The primitives that a link uses, each behind its role, so that no protocol code names a library.
///
/// Backends do not know each other; whoever builds on them joins them, once a process:
///
/// ```swift
/// let sodium = try SodiumRoles()                                   // MultipeerSodium
/// let roles = sodium.joined(aesGCM: GnuTLSAESGCM(), bulkDigest: GnuTLSBulkDigest())   // MultipeerGnuTLS
/// ```
///
/// A class, so that the states which hold it are loadable: Swift 6.3's optimizer drops the retain of a copied field when
/// the ~Copyable value that it was read from holds an existential and is consumed next
/// (docs/decisions/0004-no-existentials-in-noncopyable.md). It also keeps an idle link small: one reference, not seven.
public final class CryptoProvider: Sendable {
    /// Guarded memory.
    public let secrets: any SecretAllocator
    /// X25519.
    public let agreement: any KeyAgreement
    /// SHA-256 and Noise's HKDF.
    public let hashing: any Hashing
    /// SHA-256 of files.
    public let bulkDigest: any BulkDigest
    /// Ed25519 verification.
    public let signatures: any IdentitySignatureVerifier
    /// ChaCha20-Poly1305 (RFC 8439), of suite 0x0001.
    public let chaChaPoly: any AEAD
    /// AES-256-GCM (NIST SP 800-38D), of suite 0x0002.
    public let aesGCM: any AEAD

    /// Joins the roles.
    public init(
        secrets: any SecretAllocator, agreement: any KeyAgreement, hashing: any Hashing,
        bulkDigest: any BulkDigest, signatures: any IdentitySignatureVerifier, chaChaPoly: any AEAD, aesGCM: any AEAD
    ) {
        self.secrets = secrets
        self.agreement = agreement
        self.hashing = hashing
        self.bulkDigest = bulkDigest
        self.signatures = signatures
        self.chaChaPoly = chaChaPoly
        self.aesGCM = aesGCM
    }
}
