import MultipeerCrypto
import MultipeerDefaults
import MultipeerSodium

/// The libraries, which this facade's initialisers cannot do without: Apple's do not throw.
enum Cryptography {
    static let sodium: SodiumProvider = start { () throws(CryptoFailure) in try SodiumProvider.standard() }

    private static func start<Library>(_ body: () throws(CryptoFailure) -> Library) -> Library {
        do throws(CryptoFailure) {
            return try body()
        } catch {
            AppArgument.stop("libsodium does not start: \(error)")
        }
    }

    static func tag(of key: IdentityKey) -> KeyTag { KeyTag(of: key, hashing: sodium.hashing) }
}
