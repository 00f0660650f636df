import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerWire

/// Configurations with real cryptography.
enum Parties {
    static let sodium = TestProvider.sodium
    static let crypto = TestProvider.all

    static let terms = SessionTerms(encryption: .optional)
    static var invitation: OutgoingInvitation { OutgoingInvitation(terms: terms, timeout: .seconds(60)) }

    static func configuration(
        _ name: String, _ adjust: (inout LinkConfiguration) -> Void = { _ in }
    ) throws -> LinkConfiguration {
        try TestProvider.configuration(name, seed: UInt64(name.utf8.count), adjust: adjust)
    }
}
