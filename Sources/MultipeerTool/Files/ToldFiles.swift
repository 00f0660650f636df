import Multipeer
import MultipeerCommandLine
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
    /// Sends a file or folder to a member, shows how it comes along, and reports what becomes of it.
    ///
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - argument: What the person wrote for it, if that is not its path.
    ///   - goesOn: Whether it is sent again after a lost connection, so that no failure is reported then.
    ///   - reason: What the member hears if the task is cancelled, as by a signal.
    ///   - onEvent: Told what happens to it, besides.
    func sendFile(
        _ path: String, as argument: String? = nil, to peer: PeerID, by taker: FileTaker, goesOn: Bool = false,
        whenCancelled reason: @escaping @Sendable () -> FileCancel.Reason = { .interrupted },
        onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }, telling output: Output
    ) async -> FileOutcome {
        let told = argument ?? path
        let bar = TransferBar(.sent, output)
        defer { bar.end() }
        let leftOut = Mutex<OmittedMembers?>(nil)
        let isKept = Mutex(false)
        do throws(MultipeerError) {
            let digest = try await sendFile(path, to: peer, whenCancelled: reason()) { event in
                if case .leftOut(let omitted) = event { leftOut.withLock { $0 = omitted } }
                if case .kept = event { isKept.withLock { $0 = true } }
                onEvent(event)
                Self.tell(event, of: told, to: peer, bar, output)
            }
            bar.end()
            let omitted = leftOut.withLock(\.self)
            output.report(
                ChatEvent.fileSent(
                    told, peer, digest, leftOut: omitted?.count ?? 0, isKept: isKept.withLock(\.self)))
            guard let omitted, omitted.unreadable > 0 else { return .sent }
            return .failed(.unreadable(omitted, in: told))
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

extension MultipeerError {
    /// Whether the connection was lost, and nobody has ended it.
    fileprivate var isLoss: Bool {
        guard case .transfer(.linkEnded(let end)) = cause else { return false }
        guard let end else { return true }
        return if case .failed = end { true } else { false }
    }
}

extension OfferedFile {
    /// Takes the file, shows how it comes along, and reports what becomes of it. Returns the failure.
    ///
    /// - Parameter isNameShown: Whether a person was shown its name (R15.5-3).
    func accept(
        into directory: String, isNameShown: Bool = false, telling output: Output
    ) async -> CommandFailure? {
        let bar = TransferBar(.received, output)
        defer { bar.end() }
        do throws(MultipeerError) {
            let stored = try await accept(into: directory, isNameShown: isNameShown, keepsIdentical: true) {
                bar.show($0)
            }
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
