import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerStorage
import MultipeerWire

/// Sends messages and files once the session is open, and then closes it.
struct Sender: Sendable {
    let session: Session
    let outbox: Outbox
    /// What becomes of the files.
    let events: AsyncStream<OutgoingFileEvent>

    private var connection: LinkConnection { session.connection }

    /// Returns the first thing that went wrong.
    func run() async -> CommandFailure? {
        var failure = await sendMessages()
        var iterator = events.makeAsyncIterator()
        for file in outbox.files where failure == nil {
            failure = await send(file, &iterator)
        }
        if !outbox.stays || failure != nil { connection.close() }
        return failure
    }

    private func sendMessages() async -> CommandFailure? {
        for message in outbox.messages {
            do throws(SendFailure) {
                try await connection.send(message)
            } catch {
                guard case .request(.messageTooLong(let maximum)) = error else { return .unfinished(nil) }
                return CommandFailure(
                    "session", "the peer takes messages of at most \(maximum) bytes", remedy: "Send it as a file",
                    .refused)
            }
        }
        return nil
    }

    private func send(
        _ file: OutgoingFile, _ iterator: inout AsyncStream<OutgoingFileEvent>.Iterator
    ) async -> CommandFailure? {
        do throws(RequestError) {
            _ = try await connection.offerFile(name: file.name, size: file.length)
        } catch {
            // Either the link is over, or the name is one that the protocol has no room for.
            guard error == .invalidFile else { return .unfinished(file.path) }
            return CommandFailure(
                "file transfer", "\(SafeText.escape(file.path)): its name has more than 255 bytes, or is no UTF-8",
                remedy: "Give the file another name", .usage)
        }
        let digester: any Digester
        do throws(CryptoFailure) {
            digester = try session.settings.digests.makeDigester()
        } catch {
            return CommandFailure(error)
        }
        var transfer = OutgoingTransfer(file: file, digester: digester)
        defer { session.showProgress(nil) }
        while let event = await iterator.next() {
            switch await handle(event, &transfer) {
            case .goesOn: break
            case .isOver(let failure): return failure
            }
        }
        return told(.unfinished(file.path), file)
    }

    private struct OutgoingTransfer {
        let file: OutgoingFile
        let digester: any Digester
        var sent: UInt64 = 0
        var lastPercent: UInt64?
    }

    private enum Step {
        case goesOn
        case isOver(CommandFailure?)
    }

    private func handle(_ event: OutgoingFileEvent, _ transfer: inout OutgoingTransfer) async -> Step {
        let file = transfer.file
        switch event {
        case .accepted: return .goesOn
        case .wanted(let id, let offset, let maximum):
            return await supply(id, offset, maximum, &transfer)
        case .delivered:
            return .isOver(delivered(transfer))
        case .ended(_, let reason, let byPeer):
            return .isOver(told(CommandFailure(reason, byPeer: byPeer, file: file.path), file))
        }
    }

    private func delivered(_ transfer: OutgoingTransfer) -> CommandFailure? {
        let file = transfer.file
        do throws(CryptoFailure) {
            let digest = try transfer.digester.finish()
            session.showProgress(nil)
            session.tell(.fileSent(name: file.name, path: file.path, size: file.length, digest))
            return nil
        } catch {
            return CommandFailure(error)
        }
    }

    private func supply(
        _ id: FileID, _ offset: UInt64, _ maximum: Int, _ transfer: inout OutgoingTransfer
    ) async -> Step {
        let chunk: [UInt8]
        do throws(StorageError) {
            chunk = try await transfer.file.read(at: offset, count: maximum)
        } catch {
            let failure = told(CommandFailure(error), transfer.file)
            try? await connection.cancelFile(id, reason: .sourceFailed)
            return .isOver(failure)
        }
        transfer.digester.update(chunk.span)
        transfer.sent += UInt64(chunk.count)
        // A link that is over takes no chunk, and says why by itself.
        try? await connection.supply(chunk, to: id)
        let progress = FileProgress(
            direction: .sent, name: transfer.file.name, transferred: transfer.sent, size: transfer.file.length)
        if progress.percent != transfer.lastPercent {
            transfer.lastPercent = progress.percent
            session.showProgress(progress)
        }
        return .goesOn
    }

    private func told(_ failure: CommandFailure, _ file: OutgoingFile) -> CommandFailure {
        session.showProgress(nil)
        session.tell(.fileFailed(.sent, name: file.name, failure))
        return failure
    }
}
