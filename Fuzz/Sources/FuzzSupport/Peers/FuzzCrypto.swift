public import MultipeerCrypto
import MultipeerGnuTLS
public import MultipeerSodium

/// The cryptography that targets run on.
public enum FuzzCrypto {
    /// libsodium's roles.
    public static let sodium: SodiumRoles = {
        do { return try SodiumRoles() } catch { fatalError("libsodium does not start: \(error)") }
    }()

    /// What applications use.
    public static let real = sodium.joined(aesGCM: GnuTLSAESGCM(), bulkDigest: GnuTLSBulkDigest())

    /// Hashes and guarded memory are real; agreement, signatures and record protection are not.
    public static func insecure(_ tags: InsecureAEAD.Tags) -> CryptoProvider {
        CryptoProvider(
            secrets: sodium.secrets, agreement: InsecureAgreement(secrets: sodium.secrets), hashing: sodium.hashing,
            bulkDigest: sodium.bulkDigest, signatures: InsecureSignatures(), chaChaPoly: InsecureAEAD(tags: tags),
            aesGCM: InsecureAEAD(tags: tags))
    }
}
