import MultipeerCore
import MultipeerCrypto
import MultipeerDefaults
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerTesting
import MultipeerWire

/// Real cryptography: one standard provider for all tests, as an app has one in a process.
package enum TestProvider {
    package static let sodium: SodiumProvider = {
        do { return try .standard() } catch { fatalError("libsodium does not start: \(error)") }
    }()

    package static let all: CryptoProvider = {
        do { return try .standard() } catch { fatalError("libsodium does not start: \(error)") }
    }()

    /// Guarded memory with a copy of `bytes`.
    package static func secret(_ bytes: [UInt8]) throws -> Secret {
        try sodium.secrets.makeSecret(copying: bytes.span)
    }

    /// The identity of a seed, the same in every run.
    package static func identity(_ seed: UInt64) throws -> SodiumIdentity {
        var random: any RandomSource = SeededRandomSource(seed: seed)
        return try SodiumIdentity(random: &random, provider: sodium)
    }

    /// A configuration with the identity of a seed.
    package static func configuration(
        _ name: String, seed: UInt64, suites: [Suite]? = nil, adjust: (inout LinkConfiguration) -> Void = { _ in }
    ) throws -> LinkConfiguration {
        var configuration = LinkConfiguration(
            identity: try identity(seed), displayName: try DisplayName(name), crypto: all,
            bindingVerifier: GnuTLSBindingVerifier(strictEd25519: sodium.signatures))
        if let suites { configuration.suites = suites }
        // Virtual time may pass without a word; tests of the keep-alive turn it on.
        configuration.timeouts.keepAlive = nil
        adjust(&configuration)
        return configuration
    }
}

/// Guarded memory, as programs use it.
package let lockedMemory: any SecretAllocator = TestProvider.sodium.secrets

extension Secret {
    /// A copy in ordinary memory, to compare with a known answer.
    package borrowing func copied() -> [UInt8] { withBytes { [UInt8](copying: $0) } }
}
