public import MultipeerWire

/// The cryptographic primitives that a link uses. Protocol code sees these protocols and never a library.
///
/// `CryptoProvider.standard()` of `MultipeerDefaults` is the usual one: libsodium, with AES-256-GCM and the hash of files
/// by GnuTLS. A program that wants no GnuTLS takes libsodium alone, without AES-GCM:
///
/// ```swift
/// let crypto = try SodiumProvider().cryptoProvider()                                  // MultipeerSodium
/// ```
///
/// This is a class so that the states which hold it are loadable. Swift 6.3's optimizer drops the retain of a copied field
/// when the ~Copyable value that it was read from holds an existential and is consumed next
/// (docs/decisions/0004-no-existentials-in-noncopyable.md). A class also keeps an idle link small: it holds one reference
/// and not seven.
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
    /// ChaCha20-Poly1305 (RFC 8439), of suites 0x0001 and 0x0003.
    public let chaChaPoly: any AEAD
    /// AES-256-GCM (NIST SP 800-38D), of suites 0x0002 and 0x0004. Without it, links neither offer nor choose these.
    public let aesGCM: (any AEAD)?
    /// ML-KEM-768, of suites 0x0003 and 0x0004. Without it, links neither offer nor choose these.
    public let keyEncapsulation: (any KeyEncapsulation)?
    /// What short strings and one-time codes are made of (SPEC §25). Without it, there are none.
    public let pairing: PairingPrimitives?

    /// Creates a provider from its primitives.
    /// - Parameters:
    ///   - secrets: Guarded memory.
    ///   - agreement: X25519.
    ///   - hashing: SHA-256 and Noise's HKDF.
    ///   - bulkDigest: SHA-256 of files.
    ///   - signatures: Ed25519 verification.
    ///   - chaChaPoly: ChaCha20-Poly1305.
    ///   - aesGCM: AES-256-GCM, if there is one.
    ///   - keyEncapsulation: ML-KEM-768, if there is one.
    ///   - pairing: The primitives of short strings and one-time codes, if there are any.
    public init(
        secrets: any SecretAllocator, agreement: any KeyAgreement, hashing: any Hashing,
        bulkDigest: any BulkDigest, signatures: any IdentitySignatureVerifier, chaChaPoly: any AEAD,
        aesGCM: (any AEAD)? = nil, keyEncapsulation: (any KeyEncapsulation)? = nil, pairing: PairingPrimitives? = nil
    ) {
        self.secrets = secrets
        self.agreement = agreement
        self.hashing = hashing
        self.bulkDigest = bulkDigest
        self.signatures = signatures
        self.chaChaPoly = chaChaPoly
        self.aesGCM = aesGCM
        self.keyEncapsulation = keyEncapsulation
        self.pairing = pairing
    }
}

/// The suites of SPEC §7.2 that a provider can fill.
extension CryptoProvider {
    /// The suites whose primitives this provider has, in the order of their numbers.
    public var availableSuites: [Suite] {
        Suite.allCases.filter { aead(of: $0) != nil && (!$0.isHybrid || keyEncapsulation != nil) }
    }

    /// The available suites: hybrid ones first, and among those of a kind the fastest on this processor.
    ///
    /// AES-GCM comes first where the processor has instructions for it, as in TLS libraries. Elsewhere ChaCha20-Poly1305
    /// does, which is faster in plain code and runs in constant time.
    public var preferredSuites: [Suite] {
        let prefersAES = aesGCM?.isHardwareAccelerated ?? false
        let order: [Suite] =
            prefersAES
            ? [.hybridAESGCM, .hybridChaChaPoly, .aesGCM, .chaChaPoly]
            : [.hybridChaChaPoly, .hybridAESGCM, .chaChaPoly, .aesGCM]
        return order.filter(availableSuites.contains)
    }

    /// The AEAD of a suite; nil where the provider lacks it.
    public func aead(of suite: Suite) -> (any AEAD)? {
        switch suite {
        case .chaChaPoly, .hybridChaChaPoly: chaChaPoly
        case .aesGCM, .hybridAESGCM: aesGCM
        }
    }

    /// A key for a suite.
    package func makeKey(_ secret: consuming Secret, for suite: Suite) throws(CryptoFailure) -> any AEADKey {
        guard let aead = aead(of: suite) else { throw .unavailableSuite }
        return try aead.makeKey(secret)
    }
}
