internal import MultipeerCertificates
internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerDefaults
internal import MultipeerGnuTLS
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerWire
internal import Synchronization

/// This project's cryptography, as an app uses it.
struct SwiftCrypto: Sendable {
    let sodium: SodiumProvider
    let provider: CryptoProvider

    init() throws(CryptoFailure) {
        sodium = try .standard()
        provider = try .standard()
    }

    func identity(seed: [UInt8]) throws(CryptoFailure) -> SodiumIdentity {
        try SodiumIdentity(seed: try provider.secrets.makeSecret(copying: seed.span), provider: sodium)
    }

    func sha256(_ bytes: [UInt8]) -> [UInt8] {
        let nothing: [UInt8] = []
        return provider.hashing.hash(bytes.span, nothing.span).rawBytes
    }

    func cipher(
        _ suite: Suite, key: [UInt8], counter: UInt64, provider other: CryptoProvider? = nil
    ) throws(CryptoFailure) -> CipherState {
        try CipherState(
            key: try provider.secrets.makeSecret(copying: key.span), suite: suite, crypto: other ?? provider,
            nonce: counter)
    }

    /// The primitives with an AEAD that remembers its keys.
    func capturingKeys(
        of suite: Suite
    ) throws(CryptoFailure) -> (provider: CryptoProvider, capture: KeyCapturingAEAD) {
        guard let aead = provider.aead(of: suite) else { throw .unavailableSuite }
        let capture = KeyCapturingAEAD(aead)
        let watched = CryptoProvider(
            secrets: provider.secrets, agreement: provider.agreement, hashing: provider.hashing,
            bulkDigest: provider.bulkDigest, signatures: provider.signatures,
            chaChaPoly: suite == .chaChaPoly ? capture : provider.chaChaPoly,
            aesGCM: suite == .aesGCM ? capture : provider.aesGCM)
        return (watched, capture)
    }

    /// REKEY of a key (SPEC §12.5).
    func rekeyed(_ suite: Suite, key: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let (provider, capture) = try capturingKeys(of: suite)
        var cipher = try cipher(suite, key: key, counter: 0, provider: provider)
        try cipher.rekey()
        return capture.lastKey
    }

    /// A configuration whose identity has this seed.
    func configuration(seed: [UInt8], name: DisplayName) throws(CryptoFailure) -> LinkConfiguration {
        var configuration = LinkConfiguration(
            identity: try identity(seed: seed), displayName: name, crypto: provider,
            bindingVerifier: GnuTLSBindingVerifier(strictEd25519: provider.signatures))
        // Vectors do not depend on the processor.
        configuration.suites = [.chaChaPoly, .aesGCM]
        // Nor on what else this implementation has.
        configuration.offersVerification = false
        // Scripts let time pass without a word.
        configuration.timeouts.keepAlive = nil
        return configuration
    }
}

extension LinkRole {
    /// `initiator` or `responder`.
    init?(name: String) {
        switch name {
        case "initiator": self = .initiator
        case "responder": self = .responder
        default: return nil
        }
    }

    var name: String { self == .initiator ? "initiator" : "responder" }
}

/// Remembers the keys that it is given, for the vectors that show the key after a rekey. NO SECURITY.
final class KeyCapturingAEAD: AEAD {
    private let base: any AEAD
    private let keys = Mutex<[[UInt8]]>([])

    init(_ base: any AEAD) { self.base = base }

    /// The newest key.
    var lastKey: [UInt8] { keys.withLock { $0.last ?? [] } }

    func makeKey(_ secret: consuming Secret) throws(CryptoFailure) -> any AEADKey {
        let bytes = secret.withBytes { [UInt8](copying: $0) }
        keys.withLock { $0.append(bytes) }
        return try base.makeKey(secret)
    }
}

/// Gives out prepared bytes in order, and zeros when they are used up.
struct ReplayedRandomness: RandomSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = rest.popFirst() ?? 0 }
    }
}
