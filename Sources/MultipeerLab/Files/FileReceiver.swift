import MultipeerCommandLine
import MultipeerCore
import MultipeerCrypto
import MultipeerTransfers
import MultipeerWire

/// Receives one file that the peer offers, and says what becomes of it.
struct FileReceiver: Sendable {
    let session: Session
    let offer: IncomingOffer
    let sender: IdentityKey
    let inbox: DownloadDirectory
    let transfers: FileTransfers

    /// Runs to the end, and returns the failure.
    func run() async -> CommandFailure? {
        let teller = TransferTeller(session, .received, name: offer.name, size: offer.size)
        do throws(TransferError) {
            let file = try await transfers.receive(
                offer, from: sender, into: inbox.directory, keepsIdentical: true, onEvent: { teller.tell($0) })
            teller.end()
            session.tell(
                .fileReceived(
                    name: offer.name, path: file.path, size: file.size, file.digest, isKept: file.isKept))
            if let renaming = Renaming(file, offeredAs: offer.name) {
                session.tell(.namesDiffer(.received, name: offer.name, renaming))
            }
            return nil
        } catch {
            teller.end()
            return failed(error, isAccepted: teller.isAccepted)
        }
    }

    private func failed(_ error: TransferError, isAccepted: Bool) -> CommandFailure? {
        switch error {
        // The peer offers the file anew, and from its beginning.
        case .cancelled(.beginningDiffers, _) where isAccepted: return nil
        // The end of the link is reported elsewhere.
        case .linkEnded where !isAccepted, .cancelled(_, byPeer: false) where !isAccepted: return nil
        default: break
        }
        let failure = CommandFailure(error, .received, file: offer.name)
        session.tell(.fileFailed(.received, name: offer.name, failure))
        return failure
    }
}
