import FuzzSupport
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What an app is told, by values that a model can make as well.
enum ModelEvent: Equatable {
    case identified(name: [UInt8])
    case invited(ModelInvite)
    case merged(ModelInvite)
    case accepted(EncryptionOutcome)
    case judge(chain: [[UInt8]])
    case opened(EncryptionOutcome, session: [UInt8], maximum: UInt64)
    case message([UInt8])
    case offered(UInt64, name: [UInt8], size: UInt64)
    case data(UInt64, [UInt8])
    case complete(UInt64)
    case incomingEnded(UInt64, reason: UInt8, byPeer: Bool)
    case outgoingAccepted(UInt64)
    case wanted(UInt64, offset: UInt64, maximum: Int)
    case delivered(UInt64)
    case outgoingEnded(UInt64, reason: UInt8, byPeer: Bool)
    case finished
    /// The stage, and the name of SPEC §18.
    case failed(LinkStage, String)

    init(_ effect: LinkEffect) {
        switch effect {
        case .identified(let peer): self = .identified(name: peer.displayName?.utf8Bytes ?? [])
        case .invited(_, let invitation): self = .invited(ModelInvite(invitation))
        case .invitationsMerged(let invitation): self = .merged(ModelInvite(invitation))
        case .invitationAccepted(let outcome): self = .accepted(outcome)
        case .verify(_, let evidence): self = .judge(chain: evidence.chain?.certificates.map(\.der) ?? [])
        case .opened(let summary):
            self = .opened(summary.encryption, session: summary.session.rawBytes, maximum: summary.peerMaximumMessage)
        case .message(let message): self = .message(message)
        case .incomingFile(let event): self.init(event)
        case .outgoingFile(let event): self.init(event)
        case .closed(.finished): self = .finished
        case .closed(.failed(let failure)): self = .failed(failure.stage.modelled, Self.name(of: failure.cause))
        case .trace: self = .failed(.closed, "a trace that nobody asked for")
        @unknown default: self = .failed(.closed, "an effect that the model does not know")
        }
    }

    private init(_ event: IncomingFileEvent) {
        switch event {
        case .offered(let offer):
            self = .offered(offer.file.rawValue, name: Array(offer.name.utf8), size: offer.size)
        case .data(let id, let bytes): self = .data(id.rawValue, bytes)
        case .complete(let id, _): self = .complete(id.rawValue)
        case .ended(let id, let reason, let byPeer):
            self = .incomingEnded(id.rawValue, reason: reason.rawValue, byPeer: byPeer)
        @unknown default: self = .failed(.closed, "a file event that the model does not know")
        }
    }

    private init(_ event: OutgoingFileEvent) {
        switch event {
        case .accepted(let id): self = .outgoingAccepted(id.rawValue)
        case .wanted(let id, let offset, let maximum):
            self = .wanted(id.rawValue, offset: offset, maximum: maximum)
        case .delivered(let id, _): self = .delivered(id.rawValue)
        case .ended(let id, let reason, let byPeer):
            self = .outgoingEnded(id.rawValue, reason: reason.rawValue, byPeer: byPeer)
        @unknown default: self = .failed(.closed, "a file event that the model does not know")
        }
    }

    /// How SPEC §18 names a cause.
    private static func name(of cause: LinkFailureCause) -> String {
        switch cause {
        case .malformed: "malformed"
        case .violation(let violation): name(of: violation)
        case .incompatible(.unsupportedFrame), .incompatible(.unsupportedField): "unsupported"
        case .incompatible(.encryptionPolicy): "policy_conflict"
        case .incompatible: "refused"
        case .certificate(.bindingInvalid), .certificate(.unsupportedKey): "binding_invalid"
        case .certificate(.verdictTimeout): "verdict_timeout"
        case .certificate(.missing): "certificate_required"
        case .certificate: "certificate_rejected"
        case .invitation(let end): name(of: end)
        case .peerClosed(let code): "closed by the peer with \(code.rawValue)"
        case .timedOut: "timed_out"
        case .silent: "silent"
        case .truncated: "truncated"
        case .crypto, .limit: "internal"
        @unknown default: "a cause that the model does not know"
        }
    }

    private static func name(of end: InvitationEnd) -> String {
        switch end {
        case .declinedByPeer: "declinedByPeer"
        case .peerBusy: "peerBusy"
        case .noAnswer: "noAnswer"
        case .superseded: "superseded"
        case .noSession: "noSession"
        case .sessionFull: "sessionFull"
        case .declined: "declined"
        case .withdrawnByPeer: "withdrawnByPeer"
        case .withdrawn: "withdrawn"
        @unknown default: "an end that the model does not know"
        }
    }

    private static func name(of violation: PeerViolation) -> String {
        switch violation {
        case .unexpectedRecord: "unexpected_record"
        case .unexpectedFrame: "unexpected_frame"
        case .limitExceeded: "limit_exceeded"
        case .creditExceeded: "credit_exceeded"
        case .entryInvalid: "entry_invalid"
        case .decryptFailed: "decrypt_failed"
        case .wrongProtection: "wrong_protection"
        case .illegalChoice, .handshakeFailed, .proofInvalid, .unexpectedIdentity, .ownIdentity: "handshake"
        case .policyViolation: "policy_violation"
        @unknown default: "a violation that the model does not know"
        }
    }
}

extension LinkStage {
    /// The state of SPEC §17: a link that still sends what its app queued before it closed is open there.
    var modelled: LinkStage { self == .draining ? .open : self }
}

/// INVITE, decoded.
struct ModelInvite: Equatable {
    var charter: [UInt8]
    var isNew: Bool
    var preference: UInt8
    var kind: UInt8
    var timeout: UInt64
    var context: [UInt8]
    /// Whether it has a field or a parameter, all of which are unknown.
    var hasUnknown: Bool

    init(
        charter: [UInt8], isNew: Bool, preference: UInt8, kind: UInt8, timeout: UInt64, context: [UInt8],
        hasUnknown: Bool
    ) {
        (self.charter, self.isNew, self.preference, self.kind) = (charter, isNew, preference, kind)
        (self.timeout, self.context, self.hasUnknown) = (timeout, context, hasUnknown)
    }

    /// What an app is told does not say what is unknown.
    static func == (left: Self, right: Self) -> Bool {
        left.charter == right.charter && left.isNew == right.isNew && left.preference == right.preference
            && left.kind == right.kind && left.timeout == right.timeout && left.context == right.context
    }

    /// SPEC §4.3.
    static func session(of charter: [UInt8]) -> [UInt8] {
        ModelBinding.sha256(Array("multipeer/1 session".utf8) + [0] + charter)
    }

    init(_ received: ReceivedInvitation) {
        let (seconds, attoseconds) = received.timeout.components
        self.init(
            charter: received.charter.encoded, isNew: received.isNewSession, preference: received.encryption.rawValue,
            kind: received.showsCertificate ? 1 : 0,
            timeout: UInt64(seconds) * 1_000 + UInt64(attoseconds) / 1_000_000_000_000_000, context: received.context,
            hasUnknown: false)
    }
}
