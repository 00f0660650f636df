import Multipeer
import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// What has become of a file.
enum FileOutcome: Sendable {
    case sent
    case failed(CommandFailure)
    /// The connection was lost. What has arrived is kept.
    case lost(CommandFailure)
}

extension Multipeer.Session {
    /// Sends a file or folder to a member, shows how it comes along, and tells what becomes of it.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - argument: What the person wrote for it, if that is not its path.
    ///   - goesOn: Whether it is sent again after a lost connection, so that nobody is told of a failure then.
    ///   - whenOffered: Called when the member has been offered it.
    func sendFile(
        _ path: String, as argument: String? = nil, to peer: PeerID, by taker: FileTaker, goesOn: Bool = false,
        whenOffered: @escaping @Sendable () -> Void = {}, telling output: Output
    ) async -> FileOutcome {
        let told = argument ?? path
        let bar = TransferBar(.sent, output)
        defer { bar.end() }
        let unread = Mutex<OmittedMembers?>(nil)
        do throws(TransferError) {
            // Only a signal or the end of the command cancels this, and then the peer keeps what has arrived.
            let digest = try await sendFile(path, to: peer, whenCancelled: .interrupted) { event in
                if case .leftOut(let omitted) = event, omitted.unreadable > 0 { unread.withLock { $0 = omitted } }
                if case .offered = event { whenOffered() }
                Self.tell(event, of: told, to: peer, bar, output)
            }
            bar.end()
            output.report(ChatEvent.fileSent(told, peer, digest))
            return unread.withLock(\.self).map { .failed(.unreadable($0, in: told)) } ?? .sent
        } catch {
            bar.end()
            let failure = CommandFailure(error, .sent, file: told, by: taker)
            if goesOn, error.isLoss { return .lost(failure) }
            output.report(ChatEvent.fileFailed(told, peer, failure))
            return .failed(failure)
        }
    }

    private static func tell(
        _ event: TransferEvent, of path: String, to peer: PeerID, _ bar: TransferBar, _ output: Output
    ) {
        switch event {
        case .accepted(let offset) where offset > 0:
            output.report(ChatEvent.fileResumed(path, peer, offset: offset))
        case .leftOut(let omitted): output.report(ChatEvent.leftOut(path, peer, omitted))
        case .renamed(let names): output.report(ChatEvent.namesDiffer(path, peer, .sent, Renaming(names)))
        default: bar.show(event)
        }
    }
}

extension TransferError {
    /// Whether the connection was lost, and nobody has ended it.
    fileprivate var isLoss: Bool {
        guard case .linkEnded(let end) = self else { return false }
        guard let end else { return true }
        return if case .failed = end { true } else { false }
    }
}

extension OfferedFile {
    /// Takes the file, shows how it comes along, and tells what becomes of it. Returns the failure.
    ///
    /// - Parameter isNameShown: Whether a person was shown its name (R15.5-3).
    func accept(
        into directory: String, isNameShown: Bool = false, telling output: Output
    ) async -> CommandFailure? {
        let bar = TransferBar(.received, output)
        defer { bar.end() }
        do throws(TransferError) {
            let stored = try await accept(into: directory, isNameShown: isNameShown) { bar.show($0) }
            bar.end()
            output.report(ChatEvent.fileReceived(self, stored))
            if let renaming = Renaming(stored, offeredAs: name) {
                output.report(ChatEvent.namesDiffer(name, member.id, .received, renaming))
            }
            return nil
        } catch {
            bar.end()
            let failure = CommandFailure(error, .received, file: name)
            output.report(ChatEvent.fileFailed(name, member.id, failure))
            return failure
        }
    }
}
