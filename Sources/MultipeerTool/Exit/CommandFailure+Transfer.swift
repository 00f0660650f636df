import Multipeer
import MultipeerCore
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire

/// Files that did not come to their end.
extension CommandFailure {
    /// - Parameters:
    ///   - error: Why.
    ///   - direction: Who sends the file.
    ///   - file: Its path on this side's disk, or its name as the peer says it.
    init(_ error: TransferError, _ direction: FileDirection, file: String) {
        switch error {
        case .storage(let error): self.init(error)
        case .cancelled(let reason, let byPeer): self.init(error, file, ExitStatus(reason, byPeer: byPeer))
        // A peer that closes the session in good order interrupts every file, those that it has not heard of as well. So its
        // user's Ctrl-C is one reason, whatever was under way.
        case .linkEnded(.finished) where direction == .sent:
            self.init(.cancelled(.interrupted, byPeer: true), direction, file: file)
        case .linkEnded: self = .unfinished(file)
        case .refused(.invalidFile): self.init(error, file, .usage)
        case .refused(.tooManyFiles): self.init(error, file, .refused)
        case .refused: self.init(error, file, .software)
        }
    }

    private init(_ error: TransferError, _ file: String, _ status: ExitStatus) {
        self.init(
            error.phase, "\(SafeText.escape(file)): \(error.reason)", remedy: error.commandRemedy ?? error.remedy,
            status)
    }
}

extension TransferError {
    /// A remedy that names an option, which the library does not know.
    fileprivate var commandRemedy: String? {
        switch self {
        case .cancelled(.declined, _): "Ask the person at the other side, and check that it saves files (--save)"
        default: nil
        }
    }
}
