import FuzzSupport
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What an app hears, by values that a model can make as well.
enum ModelEvent: Equatable {
    case identified(name: [UInt8])
    case invited(ModelInvite)
    case accepted(EncryptionOutcome)
    case judge(chain: [[UInt8]])
    case opened(EncryptionOutcome, session: [UInt8], maximum: UInt64)
    case message([UInt8])
    /// The number of a message.
    case delivered(UInt64)
    case streamOpened(UInt64, name: [UInt8])
    case streamData(UInt64, [UInt8])
    /// Without a code: it is complete.
    case streamEnded(UInt64, code: UInt64?)
    case streamStopped(UInt64, code: UInt64?)
    case offered(ModelOffer)
    case fileData(UInt64, [UInt8])
    case fileComplete(UInt64)
    case incomingEnded(UInt64, reason: UInt8, byPeer: Bool)
    case beginningWanted(UInt64, length: UInt64)
    case outgoingAccepted(UInt64)
    case fileDelivered(UInt64)
    case outgoingEnded(UInt64, reason: UInt8, byPeer: Bool)
    case codeWanted(UInt64)
    case codeBurned(isTypist: Bool)
    case codeVoid
    case codeVerified(isTypist: Bool)
    case comparisonWanted
    /// The words say the same once more; their table has vectors.
    case shortString(digits: String)
    case finished
    /// The stage, and the name of SPEC §18.
    case failed(LinkStage, String)

    /// Whether a link has ended by an entry or an admission that is not valid.
    var isInvalidEntry: Bool { if case .failed(_, "entry_invalid") = self { true } else { false } }

    /// What an effect says. One effect reports many messages.
    static func all(of effect: LinkEffect) -> [ModelEvent] {
        // Nothing depends on what a peer says of what it has stored (SPEC §15.5).
        switch effect {
        case .outgoingFile(.renamed), .outgoingFile(.kept): return []
        default: break
        }
        guard case .messages(let range, .delivered) = effect else { return [ModelEvent(effect)] }
        return (range.first.number...range.last.number).map { .delivered($0) }
    }

    private init(_ effect: LinkEffect) {
        switch effect {
        case .identified(let peer): self = .identified(name: peer.displayName?.utf8Bytes ?? [])
        case .invited(_, let invitation): self = .invited(ModelInvite(invitation))
        case .invitationAccepted(let outcome): self = .accepted(outcome)
        case .verify(_, let evidence): self = .judge(chain: evidence.chain?.certificates.map(\.der) ?? [])
        case .opened(let summary):
            self = .opened(summary.encryption, session: summary.session.rawBytes, maximum: summary.peerMaximumMessage)
        case .message(let message): self = .message(message)
        case .stream(let event): self.init(event)
        case .incomingFile(let event): self.init(event)
        case .outgoingFile(let event): self.init(event)
        case .verification(let event): self.init(event)
        case .closed(.finished): self = .finished
        case .closed(.failed(let failure)): self = .failed(failure.stage.modelled, Self.name(of: failure.cause))
        default: self = .failed(.closed, "an effect that nothing asked for: \(effect)")
        }
    }

    private init(_ event: VerificationEvent) {
        switch event {
        case .codeWanted(_, let number): self = .codeWanted(UInt64(number))
        case .codeBurned(let role): self = .codeBurned(isTypist: role == .typist)
        case .codeVoid: self = .codeVoid
        case .codeAbandoned: self = .failed(.closed, "a link tells of an attempt that was left; its owner does")
        case .codeVerified(let role): self = .codeVerified(isTypist: role == .typist)
        case .comparisonWanted: self = .comparisonWanted
        case .shortString(let string): self = .shortString(digits: string.digits)
        @unknown default: self = .failed(.closed, "an event of §25 that the model does not know: \(event)")
        }
    }

    private init(_ event: StreamEvent) {
        switch event {
        case .opened(let id, let name): self = .streamOpened(id.rawValue, name: Array(name.utf8))
        case .data(let id, let bytes): self = .streamData(id.rawValue, bytes)
        case .ended(let id, .complete): self = .streamEnded(id.rawValue, code: nil)
        case .ended(let id, .reset(let code)): self = .streamEnded(id.rawValue, code: code)
        case .stopped(let id, let code): self = .streamStopped(id.rawValue, code: code)
        default: self = .failed(.closed, "a stream event that nothing asked for: \(event)")
        }
    }

    private init(_ event: IncomingFileEvent) {
        switch event {
        case .offered(let offer):
            self = .offered(
                ModelOffer(
                    id: offer.file.rawValue, size: offer.size, tag: offer.tag, type: offer.kind.rawValue,
                    modified: offer.modified, manifest: offer.manifest, name: Array(offer.name.utf8)))
        case .data(let id, let bytes): self = .fileData(id.rawValue, bytes)
        case .complete(let id, _): self = .fileComplete(id.rawValue)
        case .ended(let id, let reason, let byPeer):
            self = .incomingEnded(id.rawValue, reason: reason.rawValue, byPeer: byPeer)
        @unknown default: self = .failed(.closed, "a file event that the model does not know")
        }
    }

    private init(_ event: OutgoingFileEvent) {
        switch event {
        case .beginningWanted(let id, let length): self = .beginningWanted(id.rawValue, length: length)
        case .accepted(let id): self = .outgoingAccepted(id.rawValue)
        case .delivered(let id, _): self = .fileDelivered(id.rawValue)
        case .ended(let id, let reason, let byPeer):
            self = .outgoingEnded(id.rawValue, reason: reason.rawValue, byPeer: byPeer)
        default: self = .failed(.closed, "a file event that nothing asked for: \(event)")
        }
    }

    /// How SPEC §18 names a cause.
    static func name(of cause: LinkFailureCause) -> String {
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
        case .verification(.codeWrong): "code_wrong"
        case .verification(.codeUnavailable): "code_unavailable"
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
        case .commitmentInvalid: "commitment_invalid"
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
    /// §8.2: 0 exists already, 1 is new, 2 is one of which both are members.
    var sessionKind: UInt8
    var preference: UInt8
    var kind: UInt8
    var timeout: UInt64
    var context: [UInt8]
    /// The sender's chain of admissions; nil if the field is not there.
    var chain: [UInt8]?

    /// SPEC §4.3.
    static func session(of charter: [UInt8]) -> [UInt8] {
        ModelBinding.sha256(Array("multipeer/1 session".utf8) + [0] + charter)
    }
}

extension ModelInvite {
    /// What the app hears.
    init(_ received: ReceivedInvitation) {
        let (seconds, attoseconds) = received.timeout.components
        charter = received.charter.encoded
        sessionKind = received.kind.rawValue
        (preference, kind) = (received.encryption.rawValue, received.showsCertificate ? 1 : 0)
        timeout = UInt64(seconds) * 1_000 + UInt64(attoseconds) / 1_000_000_000_000_000
        context = received.context
        chain = received.chain.map(Admission.encode)
    }
}
