import MultipeerCertificates
import MultipeerWire

/// What ended the connection to a member (SPEC §14.9).
public enum Departure: Hashable, Sendable, CaseIterable {
    /// The member's own entry says that it has left.
    case left
    /// Another link to the same member takes its place. No departure is reported.
    case replaced
    /// One of the two peers has closed, and the member is present still.
    case closed
    /// The network, the time, or somebody on the path ended it. The member is dialled anew.
    case lost
    /// One of the two peers refuses the other.
    case refused
    /// The member found an error, or says what this version does not know.
    case failed
    /// The member broke a rule in a frame of its own.
    case misbehaved

    /// What else is known when a link ends.
    struct Circumstances {
        /// Whether the member's entry says *left*.
        var hasLeft = false
        /// Whether another link to the member is open or under way.
        var hasOtherLink = false
        /// Whether the local app, or the local peer on behalf of its app, has closed the link.
        var isClosedHere = false
        /// Whether the local peer has closed the link because of what the member did on another one.
        var isOffender = false
        /// Why the local peer declined, if it did.
        var declined: DeclineReason?
        /// Whether the member's PROOF was verified: before that somebody on the path may speak.
        var isProved = true
        /// Whether the fault was found in the frames of a record that verifies (``Link/isFailureAttributable``).
        var isAttributable = false
    }

    /// The departure that the end of a link is: the first row of the table that fits (R14.9-2).
    init(_ end: LinkEnd, _ known: Circumstances) {
        let own = Departure.own(end, known)
        if known.hasLeft {
            self = .left
        } else if known.hasOtherLink, own != .misbehaved {
            self = .replaced
        } else {
            self = own
        }
    }

    /// What the end of the link itself says.
    private static func own(_ end: LinkEnd, _ known: Circumstances) -> Departure {
        if known.isOffender { return .misbehaved }
        if known.isClosedHere { return .closed }
        switch end {
        case .finished: return .closed
        case .failed(let failure): return known.isProved ? departure(failure.cause, known) : beforeProof(failure.cause)
        }
    }

    /// Nothing of it is held against the member; what the local app did is no loss.
    private static func beforeProof(_ cause: LinkFailureCause) -> Departure {
        if case .invitation(.withdrawn) = cause { .closed } else { .lost }
    }

    private static func departure(_ cause: LinkFailureCause, _ known: Circumstances) -> Departure {
        switch cause {
        case .peerClosed(let code): told(code)
        case .truncated, .silent, .timedOut, .crypto, .limit: .lost
        case .invitation(let end): departure(end, known)
        case .certificate(let rejection): departure(rejection, known)
        case .incompatible(.encryptionPolicy): .refused
        // A person who mistypes a code breaks no rule.
        case .verification: .refused
        // What this version does not know is nobody's fault.
        case .incompatible: known.isAttributable ? .failed : .lost
        case .malformed, .violation: known.isAttributable ? .misbehaved : .lost
        }
    }

    /// What the member said by CLOSE.
    private static func told(_ code: CloseCode) -> Departure {
        switch code {
        case .noError, .shuttingDown: .closed
        case .duplicateLink, .silent, .internalError, .handshakeTimeout, .invitationTimeout, .verdictTimeout: .lost
        case .certificateRequired, .certificateRejected, .certificateExpired, .unknownAuthority, .codeWrong,
            .codeUnavailable, .stringsDiffer:
            .refused
        default: .failed
        }
    }

    private static func departure(_ end: InvitationEnd, _ known: Circumstances) -> Departure {
        switch end {
        case .peerBusy, .noAnswer, .superseded: .lost
        case .withdrawn: .closed
        case .declined: known.declined == .busy ? .lost : .refused
        case .declinedByPeer, .withdrawnByPeer, .noSession, .sessionFull: .refused
        }
    }

    /// A verdict refuses; a verdict that did not come in time is a deadline; a wrong binding is a fault.
    private static func departure(_ rejection: CertificateRejection, _ known: Circumstances) -> Departure {
        if rejection.closeCode == .verdictTimeout { return .lost }
        guard rejection.closeCode == .bindingInvalid else { return .refused }
        return known.isAttributable ? .misbehaved : .lost
    }
}
