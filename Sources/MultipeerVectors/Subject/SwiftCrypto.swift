internal import MultipeerCertificates
internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerGnuTLS
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerWire
internal import Synchronization

/// This project's cryptography, joined as an app joins it.
struct SwiftCrypto: Sendable {
    let sodium: SodiumRoles
    let roles: CryptoProvider

    init() throws(CryptoFailure) {
        sodium = try SodiumRoles()
        roles = sodium.joined(aesGCM: GnuTLSAESGCM(), bulkDigest: GnuTLSBulkDigest())
    }

    func identity(seed: [UInt8]) throws(CryptoFailure) -> SodiumIdentity {
        try SodiumIdentity(seed: try roles.secrets.makeSecret(copying: seed.span), roles: sodium)
    }

    func sha256(_ bytes: [UInt8]) -> [UInt8] {
        let nothing: [UInt8] = []
        return roles.hashing.hash(bytes.span, nothing.span).rawBytes
    }

    func cipher(
        _ suite: Suite, key: [UInt8], counter: UInt64, roles other: CryptoProvider? = nil
    ) throws(CryptoFailure) -> CipherState {
        try CipherState(
            key: try roles.secrets.makeSecret(copying: key.span), suite: suite.noise, roles: other ?? roles,
            nonce: counter)
    }

    /// The roles with an AEAD that remembers its keys.
    func capturingKeys(of suite: Suite) -> (roles: CryptoProvider, capture: KeyCapturingAEAD) {
        let capture = KeyCapturingAEAD(suite.noise.aead(in: roles))
        let watched = CryptoProvider(
            secrets: roles.secrets, agreement: roles.agreement, hashing: roles.hashing, bulkDigest: roles.bulkDigest,
            signatures: roles.signatures, chaChaPoly: suite == .chaChaPoly ? capture : roles.chaChaPoly,
            aesGCM: suite == .aesGCM ? capture : roles.aesGCM)
        return (watched, capture)
    }

    /// REKEY of a key (SPEC §12.5).
    func rekeyed(_ suite: Suite, key: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let (roles, capture) = capturingKeys(of: suite)
        var cipher = try cipher(suite, key: key, counter: 0, roles: roles)
        try cipher.rekey()
        return capture.lastKey
    }

    /// A configuration whose identity has this seed.
    func configuration(seed: [UInt8], name: DisplayName) throws(CryptoFailure) -> LinkConfiguration {
        LinkConfiguration(
            identity: try identity(seed: seed), displayName: name, crypto: roles,
            bindingVerifier: GnuTLSBindingVerifier())
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

/// Remembers the keys that it is given: NO SECURITY, for the vectors that show the key after a rekey.
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

/// Gives out prepared bytes, in order, and zeros when they are used up.
struct ReplayedRandomness: RandomSource {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        for index in bytes.indices { bytes[index] = rest.popFirst() ?? 0 }
    }
}
