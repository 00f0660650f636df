import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerTesting
import MultipeerWire

/// Which cryptography a run uses, and the identities that fit it.
enum CryptoKind: Int, CaseIterable {
    /// What applications use.
    case real
    /// Insecure, with tags that tell what was changed.
    case summed
    /// Insecure, with tags that are worth nothing.
    case ignored
    /// As `summed`, but for Ed25519, which is real.
    case provingSummed

    var provider: CryptoProvider {
        switch self {
        case .real: FuzzCrypto.real
        case .summed: Self.summedProvider
        case .ignored: Self.ignoredProvider
        case .provingSummed: Self.provingProvider
        }
    }

    var isReal: Bool { self == .real }

    /// Whether a byte that an attacker changes is noticed.
    var isSealing: Bool { self != .ignored }

    private static let summedProvider = FuzzCrypto.insecure(.summed)
    private static let ignoredProvider = FuzzCrypto.insecure(.ignored)
    private static let provingProvider = CryptoProvider(
        secrets: summedProvider.secrets, agreement: summedProvider.agreement, hashing: summedProvider.hashing,
        bulkDigest: summedProvider.bulkDigest, signatures: FuzzCrypto.sodium.signatures,
        chaChaPoly: summedProvider.chaChaPoly, aesGCM: summedProvider.aesGCM)
}

/// The people of these targets. Their keys are made once a process.
enum Persona: Int, CaseIterable {
    case anna, ben, eve

    var name: DisplayName { Self.names[rawValue] }

    func identity(_ crypto: CryptoKind) -> any IdentitySigner {
        switch crypto {
        case .real, .provingSummed: Self.real[rawValue]
        case .summed, .ignored: Self.insecure[rawValue]
        }
    }

    func configuration(_ crypto: CryptoKind) -> LinkConfiguration {
        var configuration = LinkConfiguration(
            identity: identity(crypto), displayName: name, crypto: crypto.provider,
            bindingVerifier: Self.bindingVerifier)
        configuration.suites = [.chaChaPoly, .aesGCM]
        // The models know no features.
        configuration.offersVerification = false
        return configuration
    }

    private static let bindingVerifier = GnuTLSBindingVerifier(strictEd25519: FuzzCrypto.sodium.signatures)

    private static let names: [DisplayName] = allCases.map { persona in
        do { return try DisplayName("\(persona)") } catch { fatalError("a name of letters: \(error)") }
    }

    private static let real: [SodiumIdentity] = allCases.map { persona in
        var random: any RandomSource = SeededRandomSource(seed: UInt64(persona.rawValue) + 1)
        do {
            return try SodiumIdentity(random: &random, provider: FuzzCrypto.sodium)
        } catch {
            fatalError("no identity: \(error)")
        }
    }

    private static let insecure: [InsecureIdentity] = allCases.map { persona in
        let bytes = [UInt8](repeating: UInt8(persona.rawValue) * 0x11 + 0x40, count: IdentityKey.length)
        do {
            return InsecureIdentity(identityKey: try IdentityKey(rawBytes: bytes))
        } catch {
            fatalError("no identity: \(error)")
        }
    }
}
