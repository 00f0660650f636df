import Multipeer
import MultipeerCore
import MultipeerStorage
package import MultipeerTransfers
import MultipeerWire

/// Files that did not come to their end.
extension CommandFailure {
    /// - Parameters:
    ///   - error: Why.
    ///   - direction: Which peer sends the file.
    ///   - file: Its path on the local disk, or its name as the peer says it.
    ///   - taker: What the remote peer runs, as far as it takes files.
    package init(_ error: TransferError, _ direction: FileDirection, file: String, by taker: FileTaker = .session) {
        switch error {
        case .storage(let error): self.init(error)
        case .cancelled(.declined, byPeer: true):
            self.init(error, file, ExitStatus(.declined, byPeer: true), remedy: taker.remedy)
        case .cancelled(let reason, let byPeer): self.init(error, file, ExitStatus(reason, byPeer: byPeer))
        // A peer that closes the session in good order interrupts every file, those that it has not heard of as well. So its
        // user's Ctrl-C is one reason, whatever was under way.
        case .linkEnded(.finished) where direction == .sent:
            self.init(.cancelled(.interrupted, byPeer: true), direction, file: file, by: taker)
        case .linkEnded(.failed(let failure)) where ExitStatus(failure) == .timedOut: self.init(error, file, .timedOut)
        case .unanswered: self.init(error, file, .timedOut)
        case .busy: self.init(error, file, .unreachable)
        case .linkEnded: self = .unfinished(file)
        case .refused(.invalidFile): self.init(error, file, .usage)
        case .refused(.tooManyFiles): self.init(error, file, .refused)
        case .refused: self.init(error, file, .software)
        }
    }

    private init(_ error: TransferError, _ file: String, _ status: ExitStatus, remedy: String? = nil) {
        self.init(error.phase, "\(SafeText.escape(file)): \(error.reason)", remedy: remedy ?? error.remedy, status)
    }
}

/// What takes files, and by which option: a library knows none, and the commands have different ones.
package enum FileTaker: Sendable {
    /// `chat`, or `multipeer-lab listen` or `connect`, which take files if they have a folder for them, and ask nobody.
    case session
    /// `receive`, which asks a person.
    case receiver

    /// What helps if it declined a file.
    fileprivate var remedy: String {
        switch self {
        case .session: "Have the peer take files: --save DIR"
        case .receiver:
            "Ask the remote person to take it; a code of multipeer receive --code replaces the question"
        }
    }
}
