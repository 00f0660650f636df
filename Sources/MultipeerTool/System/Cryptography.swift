import Glibc
import MultipeerCrypto
import MultipeerDefaults
import MultipeerSodium

/// The cryptographic libraries, started once in a process.
enum Cryptography {
    /// libsodium, for identities and random bytes.
    static func start() throws(CommandFailure) -> SodiumProvider {
        do throws(CryptoFailure) { return try .standard() } catch { throw CommandFailure(error) }
    }

    /// The primitives of links.
    static func provider() throws(CommandFailure) -> CryptoProvider {
        do throws(CryptoFailure) { return try .standard() } catch { throw CommandFailure(error) }
    }
}

/// The current time in seconds since 1970, for certificates.
enum WallClock {
    @Sendable static func now() -> Int64 {
        var time = timespec()
        // SAFETY: writes one timespec.
        guard unsafe clock_gettime(CLOCK_REALTIME, &time) == 0 else { return 0 }
        return Int64(time.tv_sec)
    }
}
