import Glibc
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium

/// The libraries behind the roles, started once a process.
enum Cryptography {
    static func start() throws(CommandFailure) -> SodiumRoles {
        do throws(CryptoFailure) {
            return try SodiumRoles()
        } catch {
            throw CommandFailure(error)
        }
    }
}

extension SodiumRoles {
    /// All roles of a link.
    var joined: CryptoProvider { joined(aesGCM: GnuTLSAESGCM(), bulkDigest: GnuTLSBulkDigest()) }
}

/// Seconds since 1970, for certificates.
enum WallClock {
    @Sendable static func now() -> Int64 {
        var time = timespec()
        // SAFETY: writes one timespec.
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return Int64(time.tv_sec)
    }
}
