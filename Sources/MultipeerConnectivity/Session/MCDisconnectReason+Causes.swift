import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerNIO
import MultipeerWire

extension MCDisconnectReason: Error {
    static let leftHere = MCDisconnectReason(.leftHere, "the local peer has left the session")

    /// Why a member is not connected any more.
    init(_ reason: DisconnectReason) {
        let failure = if case .failed(let failure) = reason.end { failure } else { LinkFailure?.none }
        self.init(
            Self.kind(reason), reason.description, remedy: Self.remedy(failure) ?? reason.remedy,
            isPeersRefusal: failure.map(Self.isRefusalByPeer) ?? false)
    }

    private static func kind(_ reason: DisconnectReason) -> Kind {
        if case .failed(let failure) = reason.end, let kind = kind(failure) { return kind }
        return switch reason.departure {
        case .left: .left
        case .closed, .replaced: .closed
        case .lost: .lost
        case .refused: .notTrusted
        case .failed, .misbehaved: .failed
        }
    }

    /// Why an invitation has failed.
    init(_ error: MultipeerError) {
        let failure = if case .link(let failure) = error.cause { failure } else { LinkFailure?.none }
        self.init(
            Self.kind(error), error.description, remedy: Self.remedy(failure),
            isPeersRefusal: failure.map(Self.isRefusalByPeer) ?? false)
    }

    /// Whether the remote peer has said that it does not trust the local one, or that both do not agree on encryption.
    private static func isRefusalByPeer(_ failure: LinkFailure) -> Bool {
        switch failure.cause {
        case .peerClosed(let code): kind(code) == .notTrusted
        case .incompatible(.encryptionPolicy): true
        default: false
        }
    }

    /// What helps with this module; nil if it is what helps elsewhere too.
    private static func remedy(_ failure: LinkFailure?) -> String? {
        switch failure?.cause {
        case .peerClosed(.certificateRejected):
            "keep the local MCPeerID in an archive, so that others know it again, or have the peer's app set "
                + "session.trustPolicy = .acceptNewcomers"
        case .certificate(let rejection): rejection.portingRemedy
        default: nil
        }
    }

    private static func kind(_ error: MultipeerError) -> Kind {
        switch error.cause {
        case .unreachable(.timedOut): .timedOut
        case .unreachable: .unreachable
        case .request(.link(.invalidInvitation)): .invalidParameter
        case .request(.sessionFull): .busy
        case .link(let failure): kind(failure) ?? .failed
        case .otherName: .notTrusted
        case .closed: .closed
        case .cancelled: .cancelled
        case .stopped: .leftHere
        default: .failed
        }
    }

    /// What a failed link means to people; nil if that is nothing in particular.
    private static func kind(_ failure: LinkFailure) -> Kind? {
        switch failure.cause {
        case .invitation(let end): kind(end)
        case .certificate: .notTrusted
        case .incompatible(.encryptionPolicy): .encryptionMismatch
        case .violation(.unexpectedIdentity): .notTrusted
        case .timedOut: .timedOut
        case .silent, .truncated: .lost
        case .peerClosed(let code): kind(code)
        case .malformed, .violation, .incompatible, .verification, .crypto, .limit: nil
        }
    }

    private static func kind(_ end: InvitationEnd) -> Kind {
        switch end {
        case .declinedByPeer: .declined
        case .peerBusy, .sessionFull: .busy
        case .noAnswer: .timedOut
        case .withdrawn: .cancelled
        case .withdrawnByPeer: .cancelled
        case .superseded, .noSession, .declined: .failed
        }
    }

    private static func kind(_ code: CloseCode) -> Kind? {
        switch code {
        case .certificateRequired, .certificateRejected, .certificateExpired, .unknownAuthority, .verdictTimeout,
            .bindingInvalid, .unexpectedIdentity:
            .notTrusted
        case .invitationTimeout, .handshakeTimeout: .timedOut
        case .silent: .lost
        case .shuttingDown: .closed
        // Others are errors, or say nothing to people.
        default: nil
        }
    }
}
