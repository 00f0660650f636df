import Multipeer
import MultipeerCommandLine
import MultipeerCore
import MultipeerNIO

// Failures of the library for apps.

extension CommandFailure {
    init(_ error: PeerError) {
        switch error {
        case .store(let error): self.init(error)
        case .storage(let error): self.init(error)
        case .crypto(let failure): self.init(failure)
        case .name: self.init("start", "\(error)", remedy: "Give another --name", .usage)
        }
    }

    init(_ error: KeepingError) {
        switch error {
        case .storage(let error): self.init(error)
        case .crypto(let failure): self.init(failure)
        case .noStore:
            self.init(
                "start", error.reason, remedy: "Keep an identity (multipeer identity create NAME), or omit --keep",
                .usage)
        case .inUse: self.init("start", error.reason, remedy: error.remedy, .usage)
        case .foreign, .invalid: self.init("start", error.reason, remedy: error.remedy, .input)
        }
    }

    init(_ error: ConnectionError, endpoint: Endpoint, _ policy: TrustPolicy) {
        let place = SafeText.escape(endpoint.description)
        switch error {
        case .unreachable(let error): self.init(error, endpoint: endpoint, canWaitLonger: false)
        case .failed(let failure): self.init(failure, hint: Hints.remedy(failure, nil, policy, for: .chat))
        case .closed:
            self.init(
                "invitation", "the peer at \(place) does not let you in",
                remedy: "Ask the remote person to accept (--accept all)", .refused)
        case .request, .otherName, .stopped, .cancelled:
            self.init(
                "invitation", SafeText.escape("\(error)"), remedy: "Try again, and report a bug if it happens again",
                .software)
        }
    }
}
