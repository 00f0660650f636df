public import MultipeerCrypto
import MultipeerDefaults
public import MultipeerSodium

/// The cryptography that targets run on.
public enum FuzzCrypto {
    /// The primitives of libsodium.
    public static let sodium: SodiumProvider = {
        do { return try .standard() } catch { fatalError("libsodium does not start: \(error)") }
    }()

    /// What applications use.
    public static let real: CryptoProvider = {
        do { return try .standard() } catch { fatalError("libsodium does not start: \(error)") }
    }()

    /// Hashes and guarded memory are real; agreement, encapsulation, the group, signatures and record
    /// protection are not.
    public static func insecure(_ tags: InsecureAEAD.Tags) -> CryptoProvider {
        CryptoProvider(
            secrets: sodium.secrets, agreement: InsecureAgreement(secrets: sodium.secrets), hashing: sodium.hashing,
            bulkDigest: sodium.bulkDigest, signatures: InsecureSignatures(), chaChaPoly: InsecureAEAD(tags: tags),
            aesGCM: InsecureAEAD(tags: tags),
            keyEncapsulation: InsecureEncapsulation(secrets: sodium.secrets, hashing: sodium.hashing),
            pairing: PairingPrimitives(
                secrets: sodium.secrets, hashing: sodium.hashing, wideHashing: sodium.wideHashing,
                group: InsecureGroup(secrets: sodium.secrets)))
    }
}
