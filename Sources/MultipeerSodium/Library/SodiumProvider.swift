public import MultipeerCrypto

/// The primitives of libsodium. A value of this type proves that the library has started.
///
/// Make one for each process and pass it on, because its ``LockedMemory`` shares locked pages among all keys.
public struct SodiumProvider: Sendable {
    /// Guarded memory.
    public let secrets: LockedMemory
    /// X25519.
    public let agreement: X25519
    /// SHA-256 and Noise's HKDF.
    public let hashing: SHA256
    /// SHA-512.
    public let wideHashing: SHA512
    /// ristretto255.
    public let group: Ristretto255
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
        wideHashing = SHA512(secrets: secrets)
        group = Ristretto255(secrets: secrets)
        bulkDigest = SodiumBulkDigest()
        signatures = Ed25519Verifier()
        chaChaPoly = ChaChaPoly(secrets: secrets)
        random = SystemRandomSource()
    }

    /// The primitives of a link: libsodium's, and those of another library where they are given.
    /// - Parameters:
    ///   - aesGCM: AES-256-GCM. Without it there are links of one suite only.
    ///   - bulkDigest: The SHA-256 of files. Without it libsodium's serves.
    ///   - keyEncapsulation: ML-KEM-768. Without it there are no links of hybrid suites.
    public func cryptoProvider(
        aesGCM: (any AEAD)? = nil, bulkDigest: (any BulkDigest)? = nil,
        keyEncapsulation: (any KeyEncapsulation)? = nil
    ) -> CryptoProvider {
        CryptoProvider(
            secrets: secrets, agreement: agreement, hashing: hashing, bulkDigest: bulkDigest ?? self.bulkDigest,
            signatures: signatures, chaChaPoly: chaChaPoly, aesGCM: aesGCM,
            keyEncapsulation: keyEncapsulation, pairing: pairing)
    }

    /// What short strings and one-time codes are made of (SPEC §25).
    public var pairing: PairingPrimitives {
        PairingPrimitives(secrets: secrets, hashing: hashing, wideHashing: wideHashing, group: group)
    }
}

extension SodiumProvider: IdentitySignerFactory {
    public var secretAllocator: any SecretAllocator { secrets }

    public func makeSigner(seed: consuming Secret) throws(CryptoFailure) -> any IdentitySigner {
        try SodiumIdentity(seed: seed, provider: self)
    }
}
