import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// What all phases of a link work with: the time, the outbox, the effects, the one deadline.
///
/// A class because nearly every step of a link reads or changes it, and a link that holds it by value is copied whole wherever it
/// is borrowed: that was a quarter of the cost of a small message.
final class LinkContext {
    let role: LinkRole
    let configuration: LinkConfiguration
    /// Where unpredictable bytes come from. Nobody else draws from it.
    var random: any RandomSource
    /// Of the configuration; here because every record asks.
    let tracesRecords: Bool
    /// When the input that is being handled happened.
    var now: Instant
    /// When the phase has taken too long.
    var deadline: Instant?
    // Unchecked in release builds: see docs/decisions/0022.
    #if !DEBUG && !LIBFUZZER
        @safe @exclusivity(unchecked)
    #endif
    var outbox = Outbox()
    #if !DEBUG && !LIBFUZZER
        @safe @exclusivity(unchecked)
    #endif
    var effects = EffectQueue()
    /// An invitation that the app asked for before the peer was identified.
    var pendingInvitation: OutgoingInvitation?
    /// The peer whose PROOF verified.
    var provedPeer: IdentityKey?
    /// What the peer's PEER_INFO lists, known or not; nothing before it.
    var peerFeatures: [UInt16] = []
    /// What both peers have said of datagrams.
    var datagrams = DatagramExchange()
    /// Whether a one-time code has been tried on this link, by either peer (R25.6-7).
    var hasTriedCode = false
    /// How people have verified the peer's key on this link.
    var verification: KeyVerification?
    /// The part in the session that the link gets when it opens; nil for a guest (SPEC §14.5).
    var membership: LinkMembership?
    /// The associations of the node that has the link; nil if none outlives its link.
    var book: AssociationBook?
    /// What the exporter of the link works with (SPEC §9.8); nil once it has ended.
    var exports: ExportKeys?
    /// The association that RESUME asks for, until that goes out.
    var pendingResume: ResumableAssociation?
    /// The association that travels on the link, or is to.
    var association: ResumableAssociation?
    /// Whether RESUME of the peer has come.
    var hasSeenResume = false
    /// Whether RESUMED has opened the link.
    var hasResumed = false
    /// How the link has left its association.
    var associationEnd = AssociationEnd.none
    /// Whether the link has been open: records are padded before (R6.5-1).
    var hasOpened = false
    /// Whether the peer's READY has come.
    var hasPeerAccepted = false
    /// Whether the frames of a record that verifies are being handled.
    var isHandlingFrames = false
    /// Whether the link ended by a fault in such frames, after the peer's PROOF.
    var isFailureAttributable = false
    /// When payload waits for REKEY before it goes out (R12.6-5).
    var rekeyDue: Instant
    private var lastToken: UInt64 = 0

    init(role: LinkRole, configuration: LinkConfiguration, random: any RandomSource, now: Instant) {
        self.role = role
        tracesRecords = configuration.tracesRecords
        self.configuration = configuration
        self.random = random
        self.now = now
        rekeyDue = now
    }

    var crypto: CryptoProvider { configuration.crypto }
    var timeouts: LinkTimeouts { configuration.timeouts }

    /// The longest message that the local peer takes; SPEC §8.1 knows no peer that takes none.
    var maximumMessage: UInt64 { UInt64(max(configuration.maximumMessage, 1)) }

    func makeToken() -> LinkToken {
        lastToken += 1
        return LinkToken(number: lastToken)
    }

    /// Queues a frame, and returns it as sent.
    @discardableResult
    func send(_ frame: some ControlFrame) -> [UInt8] {
        let bytes = frame.encoded()
        outbox.control.append(QueuedFrame(bytes: bytes, type: type(of: frame).type, isLinkOpen: hasOpened))
        return bytes
    }

    /// The direction's key is a new one (R12.6-5).
    func restartRekeyTimer() { rekeyDue = now.advanced(by: .seconds(600)) }

    /// Whether an invitation may go out before the peer's name is known: the app knows which peer it means (R8.2-6).
    var mayInviteEarly: Bool { role == .initiator && configuration.expectedPeer != nil }

    /// The name that the local peer shows to a peer (R8.1-6).
    func shownName(to peer: IdentityKey) -> [UInt8] {
        guard configuration.showNameOnlyTo?.contains(peer) ?? true else { return [] }
        return configuration.displayName.utf8Bytes
    }

    /// Whether both peers list a feature. False before the peer's PEER_INFO.
    func isShared(_ feature: Feature) -> Bool {
        configuration.features.contains(feature) && peerFeatures.contains(feature.rawValue)
    }

    /// Whether an invitation of the app has not gone out: it waits for the peer to be identified, for a one-time code, or for
    /// room on the transport.
    var holdsUnsentInvitation: Bool { pendingInvitation != nil || outbox.control.holds(.invite) }

    /// Removes INVITE from what waits to be sent. Returns whether it was there.
    @discardableResult
    func takeBackInvitation() -> Bool { outbox.control.remove(.invite) }

    func setDeadline(after duration: Duration) {
        deadline = now.advanced(by: duration)
    }

    func makeDigester() throws(LinkFailureCause) -> any Digester {
        do {
            return try crypto.bulkDigest.makeDigester()
        } catch {
            throw .crypto(error)
        }
    }
}

/// How a link has left its association.
enum AssociationEnd {
    /// It has none, or it travels still, or another link has taken it over.
    case none
    /// It may continue over another link.
    case resumable
    /// The peer does not know it any more.
    case declined
}

/// What waits to be sent, payload apart.
struct Outbox: Sendable {
    /// Magic and hello, or refusal.
    var clear: [UInt8] = []
    /// Whole control frames.
    var control = FrameQueue()

    var isEmpty: Bool { clear.isEmpty && control.isEmpty }
}

/// Effects in order; nothing follows the end but traces.
struct EffectQueue: Sendable {
    private var effects = DrainQueue<LinkEffect>()
    private(set) var hasEnded = false

    mutating func emit(_ effect: consuming LinkEffect) {
        if hasEnded {
            guard case .trace = effect else { return }
        }
        if case .closed = effect { hasEnded = true }
        effects.append(effect)
    }

    mutating func next() -> LinkEffect? { effects.next() }
}
