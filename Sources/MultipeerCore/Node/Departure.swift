import MultipeerCertificates
import MultipeerWire

/// What ended the connection to a member (SPEC §14.9).
public enum Departure: Hashable, Sendable, CaseIterable {
    /// The member's own entry says that it has left.
    case left
    /// One of both sides has closed, and the member is present still.
    case closed
    /// The network, the time, or whoever is on the path ended it. The member is dialled anew.
    case lost
    /// Another link to the same member takes its place. No departure is reported.
    case replaced
    /// One of both sides does not want the other.
    case refused
    /// The member broke a rule in a frame of its own.
    case misbehaved
    /// The member found an error.
    case failed

    /// What else is known when a link ends.
    struct Circumstances {
        /// Whether the member's entry says *left*.
        var hasLeft = false
        /// Whether another link to the member is open or under way.
        var hasOtherLink = false
        /// Whether the member's PROOF was verified: before that whoever is on the path may speak.
        var isProved = true
        /// Whether the fault was found in the frames of a record that verifies (``Link/isFailureAttributable``).
        var isAttributable = false
    }

    /// The departure that the end of a link is (R14.9-2).
    init(_ end: LinkEnd, _ circumstances: Circumstances) {
        if circumstances.hasLeft {
            self = .left
            return
        }
        switch end {
        case .finished: self = .closed
        case .failed(let failure):
            self = circumstances.isProved ? Self.departure(failure, circumstances) : Self.beforeProof(failure.cause)
        }
    }

    /// Nothing of it is held against the member; what this side's own app did is no loss.
    private static func beforeProof(_ cause: LinkFailureCause) -> Departure {
        if case .invitation(.withdrawn) = cause { .closed } else { .lost }
    }

    private static func departure(_ failure: LinkFailure, _ known: Circumstances) -> Departure {
        switch failure.cause {
        case .peerClosed(let code): told(code, known)
        case .truncated, .silent, .crypto, .limit: .lost
        // In *certificates* it is the verdict, or READY, that did not come (SPEC §18.1).
        case .timedOut: failure.stage == .certificates ? .refused : .lost
        case .invitation(let end): departure(end, known)
        case .certificate(let rejection): rejection.closeCode == .bindingInvalid ? .misbehaved : .refused
        case .incompatible(.encryptionPolicy): .refused
        case .malformed, .violation, .incompatible: known.isAttributable ? .misbehaved : .lost
        }
    }

    /// What the member told by CLOSE.
    private static func told(_ code: CloseCode, _ known: Circumstances) -> Departure {
        switch code {
        case .noError, .shuttingDown: .closed
        case .duplicateLink: known.hasOtherLink ? .replaced : .lost
        case .silent, .handshakeTimeout, .invitationTimeout: .lost
        case .certificateRequired, .certificateRejected, .certificateExpired, .unknownAuthority, .verdictTimeout:
            .refused
        default: .failed
        }
    }

    private static func departure(_ end: InvitationEnd, _ known: Circumstances) -> Departure {
        switch end {
        case .peerBusy, .noAnswer: .lost
        case .superseded: known.hasOtherLink ? .replaced : .lost
        case .withdrawn: .closed
        case .declinedByPeer, .declined, .withdrawnByPeer, .noSession, .sessionFull: .refused
        }
    }
}
