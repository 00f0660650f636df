import MultipeerCommandLine
import MultipeerCrypto
import MultipeerStorage
import MultipeerTransfers

/// Sends one file, and says what becomes of it.
struct FileSender: Sendable {
    let session: Session
    let file: OutgoingFile
    /// The file's tag; zeros if it cannot be resumed.
    let tag: [UInt8]
    let transfers: FileTransfers

    /// Runs to the end, and returns the failure.
    func run() async -> CommandFailure? {
        let teller = TransferTeller(session, .sent, name: file.name, size: file.length)
        do throws(TransferError) {
            let digest = try await transfers.send(file, tag: tag, onEvent: { teller.tell($0) })
            teller.end()
            session.tell(
                .fileSent(
                    name: file.name, path: file.path, size: file.length, digest,
                    leftOut: file.omitted.count, isKept: teller.isKept))
            return file.omitted.unreadable > 0 ? .unreadable(file.omitted, in: file.path) : nil
        } catch {
            teller.end()
            let failure = CommandFailure(error, .sent, file: file.path)
            session.tell(.fileFailed(.sent, name: file.name, failure))
            return failure
        }
    }
}
