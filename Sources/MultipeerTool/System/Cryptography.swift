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
