import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerTesting
import MultipeerWire

/// Configurations with real cryptography.
enum Parties {
    static let sodium: SodiumProvider = {
        do { return try .standard() } catch { fatalError("libsodium does not start: \(error)") }
    }()

    static let crypto: CryptoProvider = {
        do { return try .standard() } catch { fatalError("libsodium does not start: \(error)") }
    }()

    static let terms = SessionTerms(encryption: .optional)
    static var invitation: OutgoingInvitation { OutgoingInvitation(terms: terms, timeout: .seconds(60)) }

    static func configuration(
        _ name: String, _ adjust: (inout LinkConfiguration) -> Void = { _ in }
    ) throws -> LinkConfiguration {
        var random: any RandomSource = SeededRandomSource(seed: UInt64(name.utf8.count))
        var configuration = LinkConfiguration(
            identity: try SodiumIdentity(random: &random, provider: sodium), displayName: try DisplayName(name),
            crypto: crypto, bindingVerifier: GnuTLSBindingVerifier(strictEd25519: crypto.signatures))
        adjust(&configuration)
        return configuration
    }
}
