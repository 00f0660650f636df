import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerStorage
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// Sends messages, a stream and files when the session is open, and then closes it.
struct Sender: Sendable {
    /// How many files are sent at a time.
    private static let filesAtOnce = 4

    let session: Session
    let outbox: Outbox
    /// The receiver.
    let peer: IdentityKey
    let transfers: FileTransfers

    private var connection: LinkConnection { session.connection }

    /// Runs to the end, and returns the first failure.
    func run() async -> CommandFailure? {
        var failure = await sendMessages()
        if failure == nil, let input = outbox.stream {
            failure = await StreamSender(session: session, input: input).run()
        }
        if failure == nil { failure = await sendFiles() }
        if !outbox.stays || failure != nil {
            // Messages have the time of --stall-timeout, and not that of a link that closes.
            await connection.waitUntilSent()
            connection.close()
        }
        return failure
    }

    private func sendMessages() async -> CommandFailure? {
        for message in outbox.messages {
            do throws(SendFailure) {
                try await connection.send(message)
            } catch {
                return CommandFailure(error)
            }
        }
        return nil
    }

    /// Sends a few files at a time, in their order. After a failure no other one is begun.
    private func sendFiles() async -> CommandFailure? {
        await withTaskGroup(of: CommandFailure?.self) { group in
            var failure: CommandFailure?
            var running = 0
            for file in outbox.files {
                if running == Self.filesAtOnce {
                    failure = await group.next() ?? nil
                    running -= 1
                }
                guard failure == nil else { break }
                group.addTask { await send(file) }
                running += 1
            }
            for await other in group { failure = failure ?? other }
            return failure
        }
    }

    private func send(_ file: OutgoingFile) async -> CommandFailure? {
        let tag: [UInt8]
        do throws(CryptoFailure) {
            tag = try outbox.tags?.tag(of: file, for: peer) ?? FileOffer.noTag
        } catch {
            return CommandFailure(error)
        }
        return await FileSender(session: session, file: file, tag: tag, transfers: transfers).run()
    }
}
