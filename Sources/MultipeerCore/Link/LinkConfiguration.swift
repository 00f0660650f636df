public import MultipeerCertificates
public import MultipeerCrypto
public import MultipeerWire

/// What a link needs to know beside its role.
public struct LinkConfiguration: Sendable {
    /// Holds the local identity key.
    public var identity: any IdentitySigner
    /// The local peer's display name.
    public var displayName: DisplayName
    /// The peers to which alone the local peer shows ``displayName`` (SPEC §8.1); nil for all. Others see the identity
    /// key.
    public var showNameOnlyTo: Set<IdentityKey>?
    /// The primitives.
    public var crypto: CryptoProvider
    /// Verifies the signatures of certificates' keys. Without one, a peer that shows a certificate is refused.
    public var bindingVerifier: (any BindingVerifier)?
    /// Versions that the local peer speaks, the preferred first.
    public var versions: [ProtocolVersion] = [.draft04]
    /// Suites that the local peer has, the preferred first. At first `CryptoProvider.preferredSuites`.
    public var suites: [Suite]
    /// The longest message that the local peer takes, in bytes.
    public var maximumMessage: UInt32 = 16_777_216
    /// The only peer that will do (R9.5-4); for initiators. Without it an invitation goes out only once the app has
    /// heard which peer it reached (R8.2-6).
    public var expectedPeer: IdentityKey?
    /// The tag that the peer's key must have (R23.5-1); for initiators that have found the peer by its advertisement.
    public var expectedTag: KeyTag?
    /// Whether an initiator offers GREASE values (SPEC §7.4).
    public var sendsGrease = true
    /// Whether a responder answers any hello with REFUSAL `busy`, before it looks at what the hello offers (SPEC §7.5).
    public var refusesAsBusy = false
    /// Whether memory is asked for before it is granted as credit (SPEC §13.5): for long messages by
    /// ``LinkEffect/memoryWanted(_:)``, for streams, files and a wider ``messageWindow`` by ``Link/nextBulkClaim()``. Otherwise
    /// there is always enough.
    public var asksForMemory = false
    /// How much of the peer's messages, each with 64 bytes more than it has, the app may leave untaken: 262,144, or more where
    /// there is memory and the app takes them fast (SPEC §13.5). A message of a full record uses a quarter of the least.
    public var messageWindow: UInt64 = 262_144
    /// How many bytes of each file that the peer sends the app may leave untaken, where there is memory (SPEC §13.5).
    public var fileWindow: UInt64 = FileAccept.usualCredit
    /// Whether the local peer offers to verify keys by short strings and one-time codes (SPEC §25), if ``crypto`` has
    /// what that takes.
    public var offersVerification = true
    /// Whether the local peer takes messages as datagrams (SPEC §26), once its driver has a port for them
    /// (`Link.takeDatagrams(at:now:)`).
    package var offersDatagrams = false
    /// How long each stage may take.
    public var timeouts = LinkTimeouts()
    /// Whether every record becomes a ``LinkEffect/trace(_:)``, with its plaintext. For people who debug.
    public var tracesRecords = false

    /// Creates a configuration with default limits and timeouts, and the suites that the provider prefers.
    public init(
        identity: any IdentitySigner, displayName: DisplayName, crypto: CryptoProvider,
        bindingVerifier: (any BindingVerifier)? = nil
    ) {
        self.identity = identity
        self.displayName = displayName
        self.crypto = crypto
        suites = crypto.preferredSuites
        self.bindingVerifier = bindingVerifier
    }
}

extension LinkConfiguration {
    /// What PEER_INFO lists (SPEC §8.1), ascending.
    var features: [Feature] { (pairing == nil ? [] : [.verification]) + (offersDatagrams ? [.datagrams] : []) }

    /// What short strings and one-time codes are made of, if the local peer offers them.
    var pairing: PairingPrimitives? { offersVerification ? crypto.pairing : nil }
}

/// The deadlines of SPEC §19.
public struct LinkTimeouts: Sendable {
    /// From the start until the peer is identified.
    public var handshake: Duration = .seconds(10)
    /// From then until someone invites.
    public var invitation: Duration = .seconds(60)
    /// From the acceptance until both peers are ready: also the time that a verdict may take.
    public var certificates: Duration = .seconds(60)
    /// From CLOSE until the peer's.
    public var closing: Duration = .seconds(5)

    /// When a peer that says nothing on an open link is asked, and given up (SPEC §13.7); nil for never.
    public var keepAlive: KeepAliveTimes? = KeepAliveTimes()

    /// The defaults of SPEC §19.
    public init() {}
}
