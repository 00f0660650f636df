public import MultipeerCore
public import MultipeerCrypto
public import MultipeerNIO

/// Why a peer could not be connected.
@nonexhaustive
public enum ConnectionError: Error, Hashable, Sendable {
    /// Nothing could be connected to at the address.
    case unreachable(ConnectError)
    /// The local peer could not invite.
    case request(NodeRequestError)
    /// The link ended before the peer was connected: the peer declined, was not trusted, did not answer, or others.
    case failed(LinkFailure)
    /// The peer that was chosen by a name calls itself otherwise now that its key is proved, and was not invited.
    case otherName(PeerID)
    /// The peer closed the link before anybody was connected.
    case closed
    /// The task was cancelled.
    case cancelled
    /// The session has ended, or its peer has.
    case stopped
}

extension ConnectionError {
    /// What the end of a link says to the one that waits for it to open.
    init(_ end: LinkEnd) {
        switch end {
        case .finished: self = .closed
        case .failed(let failure): self = .failed(failure)
        }
    }
}

extension ConnectionError: CustomStringConvertible {
    /// Phase, reason and remedy.
    public var description: String {
        switch self {
        case .unreachable(let error): "connection: \(error.reason). \(error.remedy)"
        case .request(let error): "invitation: \(error.reason). \(error.remedy)"
        case .failed(let failure): "\(failure). Remedy: \(failure.remedy)"
        case .otherName(let peer):
            "identity: the peer calls itself \(SafeText.escape(peer.shownName)), and not as it was advertised. Look for it by that name, "
                + "if it is the one that you mean"
        case .closed: "connection: the peer closed it before anybody was connected. Try again"
        case .cancelled: "connection: the task was cancelled. Try again"
        case .stopped: "connection: the session has ended. Begin a new one"
        }
    }
}

extension ConnectError {
    fileprivate var reason: String {
        switch self {
        case .invalidEndpoint: "nobody can connect to this address"
        case .resolutionFailed: "the name has no address"
        case .unreachable(.refused): "nobody listens there"
        case .unreachable(.noRoute): "there is no route to the host"
        case .unreachable(.noSuchSocket): "the socket does not exist"
        case .unreachable(.notPermitted): "the system does not allow it"
        case .unreachable(.system(let errno)): "the system reports error \(errno)"
        case .timedOut: "nothing answers"
        case .cancelled: "it was cancelled"
        }
    }

    fileprivate var remedy: String {
        switch self {
        case .invalidEndpoint, .resolutionFailed: "Check the address"
        case .unreachable(.refused), .unreachable(.noSuchSocket):
            "Make sure that the peer listens at this port"
        case .unreachable, .timedOut: "Check the network and its firewalls"
        case .cancelled: "Try again"
        }
    }
}

extension NodeRequestError {
    var reason: String {
        switch self {
        case .unknownLink: "the connection has ended"
        case .unknownSession: "the local peer is in no such session"
        case .unknownMember: "the session has no such member"
        case .notConnected: "the peer is not connected"
        case .alreadyLinked: "there is a connection to that peer, or an invitation"
        case .blocked: "the peer is blocked"
        case .mayNotAdmit: "the local peer may not admit others to the session"
        case .sessionFull: "the session is full"
        case .tooMuchUntaken: "the app has not taken what the peer sent earlier"
        case .invalidMemory: "the kept session is not valid"
        case .codeUsed: "this code has been tried already"
        case .tooManyCodes: "too many codes have been tried"
        case .tooManyComparisons: "too many short strings have been compared without a confirmation"
        case .link(.verificationUnavailable): "the peer knows no codes and short strings"
        case .link(let error): "\(error)"
        case .crypto(let failure): "cryptography failed: \(failure)"
        }
    }

    var remedy: String {
        switch self {
        case .unknownLink: "Try again"
        case .alreadyLinked: "Wait for it, or leave it first"
        case .blocked: "Lift the block"
        case .mayNotAdmit: "Ask the founder to invite"
        case .sessionFull: "Wait until somebody leaves"
        case .tooMuchUntaken: "Take the session's events"
        case .codeUsed: "Have the peer show a new code"
        case .tooManyCodes, .tooManyComparisons: "Try again later"
        case .link(.verificationUnavailable): "Compare peer IDs, or have the peer use a newer version"
        case .unknownSession, .unknownMember, .notConnected, .invalidMemory, .link, .crypto:
            "Begin a new session, and invite again"
        }
    }
}
