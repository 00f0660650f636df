import Multipeer
import MultipeerCommandLine
import MultipeerCore
import MultipeerNIO

// Failures of the library for apps.

extension CommandFailure {
    /// A failure of which the command knows no more than the library says.
    init(_ error: MultipeerError) {
        switch error.cause {
        case .store(let error): self.init(error)
        case .storage(let error): self.init(error)
        case .crypto(let failure): self.init(failure)
        case .discovery(let error): self.init(error)
        case .link(let failure): self.init(failure)
        case .name: self.init("start", error.reason, remedy: "Give another --name", .usage)
        case .noStore:
            self.init(
                "start", error.reason, remedy: "Keep an identity (multipeer identity create NAME), or omit --keep",
                .usage)
        case .inUse: self.init("start", error.reason, remedy: error.remedy, .usage)
        case .foreign, .notMember: self.init("start", error.reason, remedy: error.remedy, .input)
        default:
            self.init(
                error.phase.rawValue, SafeText.escape(error.reason), remedy: SafeText.escape(error.remedy),
                error.code.status)
        }
    }

    /// A peer could not be connected at an address of a chat.
    init(_ error: MultipeerError, endpoint: Endpoint, _ policy: TrustPolicy) {
        let place = SafeText.escape(endpoint.description)
        switch error.cause {
        case .unreachable(let error): self.init(error, endpoint: endpoint, canWaitLonger: false)
        case .link(let failure): self.init(failure, hint: Hints.remedy(failure, nil, policy, for: .chat))
        case .closed:
            self.init(
                "invitation", "the peer at \(place) does not let you in",
                remedy: "Ask the remote person to accept (--accept all)", .refused)
        default: self.init(error)
        }
    }

    /// A file did not come to its end (``CommandFailure/init(_:_:file:by:)``).
    init(_ error: MultipeerError, _ direction: FileDirection, file: String, by taker: FileTaker = .session) {
        if case .transfer(let error) = error.cause {
            self.init(error, direction, file: file, by: taker)
        } else {
            self.init(error)
        }
    }
}

extension MultipeerError.Code {
    /// What the program's exit status says of it.
    var status: ExitStatus {
        switch self {
        case .cancelled: .interrupted
        case .unreachable, .notConnected, .closed, .connectionLost: .unreachable
        case .timedOut: .timedOut
        case .declined, .busy, .notTrusted, .wrongPeer, .wrongCode, .notAllowed, .sessionFull, .limitReached, .tooLarge:
            .refused
        case .incompatible, .protocolViolation: .protocolFailure
        case .invalidArgument: .usage
        case .cannotListen, .discoveryUnavailable, .storage: .system
        case .damaged: .input
        case .stopped, .alreadyConnected, .streamEnded, .cryptography: .software
        }
    }
}
