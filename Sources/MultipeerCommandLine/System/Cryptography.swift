package import MultipeerCrypto
import MultipeerDefaults
package import MultipeerSodium

/// The cryptographic libraries, started once in a process.
package enum Cryptography {
    /// libsodium, for identities and random bytes.
    package static func start() throws(CommandFailure) -> SodiumProvider {
        do throws(CryptoFailure) { return try .standard() } catch { throw CommandFailure(error) }
    }

    /// The primitives of links.
    package static func provider() throws(CommandFailure) -> CryptoProvider {
        do throws(CryptoFailure) { return try .standard() } catch { throw CommandFailure(error) }
    }
}
