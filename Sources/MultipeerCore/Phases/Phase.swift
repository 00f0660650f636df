import MultipeerCertificates
import MultipeerCrypto
import MultipeerWire

/// The state machine of SPEC §17. Each case owns what is legal in it, and nothing else.
enum Phase: ~Copyable {
    case hello(HelloPhase)
    case proof(ProofPhase)
    case info(InfoPhase)
    case identified(IdentifiedPhase)
    case inviting(InvitingPhase)
    case invited(InvitedPhase)
    case certificates(CertificatePhase)
    case open(OpenPhase)
    case closing(ClosingPhase)
    /// Nothing more is received; what is queued may still be sent.
    case closed

    var stage: LinkStage {
        switch self {
        case .hello: .hello
        case .proof: .proof
        case .info: .info
        case .identified: .identified
        case .inviting: .inviting
        case .invited: .invited
        case .certificates: .certificates
        case .open: .open
        case .closing: .closing
        case .closed: .closed
        }
    }

    /// Whether the peer's PROOF is verified, so that odd frames may be skipped and long records taken.
    var isPeerProved: Bool {
        switch self {
        case .hello: false
        case .proof: false
        case .closing(let phase): phase.isPeerProved
        case .closed: false
        default: true
        }
    }

    /// Whether a message or a file is half received.
    var isReceivingPayload: Bool {
        switch self {
        case .open(let phase): phase.session.isReceiving
        default: false
        }
    }

    /// Whether the app has closed an open session, and all that was queued has gone out.
    var isDrained: Bool {
        switch self {
        case .open(let phase): phase.session.isDraining && !phase.session.hasPayload
        default: false
        }
    }

    /// How payload travels, once the link is open.
    var payloadEncryption: EncryptionOutcome? {
        switch self {
        case .open(let phase): phase.session.summary.encryption
        case .closing(let phase): phase.payloadEncryption
        default: nil
        }
    }

    /// Whether the app has closed a session, and what is on the way is still delivered (R16.1-3).
    var deliversWhileClosing: Bool {
        switch self {
        case .closing(let phase): phase.isDelivering
        default: false
        }
    }

    /// A record came and verified: a link that closes waits on (SPEC §19).
    func noteRecord(in context: inout LinkContext) {
        switch self {
        case .closing(let phase): phase.extendDeadline(in: &context)
        default: break
        }
    }

    /// Takes a frame of a known type that this phase may or may not allow. CLOSE is handled before.
    mutating func receive(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) {
        do throws(LinkFailureCause) {
            if try receiveInSession(frame, type: type, in: &context) { return }
            self = try (consume self).next(frame, type: type, in: &context)
        } catch {
            self = .closed  // the phase that threw is consumed, with its secrets
            throw error
        }
    }

    /// What nearly all frames are: payload, which leaves the phase as it is and where it is. False without a session.
    private borrowing func receiveInSession(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) -> Bool {
        switch self {
        case .open(let phase):
            try phase.session.receive(frame, type: type, in: &context)
            return true
        default:
            return false
        }
    }

    private consuming func next(
        _ frame: borrowing RawFrame, type: FrameType, in context: inout LinkContext
    ) throws(LinkFailureCause) -> Phase {
        switch consume self {
        case .proof(let phase): try phase.receive(frame, type: type, in: &context)
        case .info(let phase): try phase.receive(frame, type: type, in: &context)
        case .identified(let phase): try phase.receive(frame, type: type, in: &context)
        case .inviting(let phase): try phase.receive(frame, type: type, in: &context)
        case .invited(let phase): try phase.receive(frame, type: type, in: &context)
        case .certificates(let phase): try phase.receive(frame, type: type, in: &context)
        case .open(let phase): .open(phase)  // `receiveInSession` has taken it
        case .closing(let phase): try phase.receive(frame, type: type, in: &context)
        case .hello: .closed
        case .closed: .closed
        }
    }

    /// The phase's deadline has passed.
    mutating func timeout(in context: inout LinkContext) throws(LinkFailureCause) {
        context.deadline = nil
        do throws(LinkFailureCause) {
            self = try (consume self).afterTimeout(in: &context)
        } catch {
            self = .closed
            throw error
        }
    }

    private consuming func afterTimeout(in context: inout LinkContext) throws(LinkFailureCause) -> Phase {
        switch consume self {
        case .inviting(let phase): phase.timeout(in: &context)
        case .invited(let phase): phase.timeout(in: &context)
        case .certificates(let phase): try phase.timeout()
        case .open(let phase): phase.timeout(in: &context)
        case .closing(let phase): phase.timeout(in: &context)
        case .hello: throw .timedOut
        case .proof: throw .timedOut
        case .info: throw .timedOut
        case .identified: throw .timedOut
        case .closed: .closed
        }
    }
}

extension RawFrame {
    /// The error for a frame that the state does not allow.
    var unexpected: LinkFailureCause { .violation(.unexpectedFrame(rawType)) }

    /// Decodes the payload, and sorts errors by blame.
    func decode<Frame: ControlFrame>(_ frame: Frame.Type) throws(LinkFailureCause) -> Frame {
        do {
            return try Frame(payload: payload)
        } catch {
            throw LinkFailureCause(error)
        }
    }
}
