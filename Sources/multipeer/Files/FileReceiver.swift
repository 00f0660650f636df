import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerStorage
import MultipeerWire

/// Receives one file that the peer offers, and holds what has come of it if it does not come to its end.
struct FileReceiver: Sendable {
    let session: Session
    let offer: IncomingOffer
    let sender: IdentityKey
    let inbox: Inbox
    let names: OfferNames
    let places: Places

    private var connection: LinkConnection { session.connection }

    /// Runs to the end, and returns the failure.
    func run() async -> CommandFailure? {
        await places.take()
        defer { places.give() }
        let begun: BegunFile
        do throws(StorageError) {
            begun = try await ReceivedFile.begin(
                StoredOffer(offer), from: sender, in: inbox.directory, digest: session.settings.digest,
                now: WallClock.now())
        } catch {
            return await giveUp(error)
        }
        do throws(RequestError) {
            try await connection.receiveFile(offer.file, holding: begun.beginning)
        } catch {
            // The peer has taken the offer back, or the link is over. Both are told elsewhere.
            await begun.file.keep()
            return nil
        }
        names.take(offer.file)
        let held = begun.beginning?.length ?? 0
        if held > 0 { session.tell(.fileResumed(.received, name: offer.name, offset: held, size: offer.size)) }
        defer { session.showProgress(nil) }
        return await receive(begun.file, held: held)
    }

    private func receive(_ file: ReceivedFile, held: UInt64) async -> CommandFailure? {
        var (received, lastPercent): (UInt64, UInt64?) = (held, nil)
        var isChecked = offer.kind != .folder
        while let part = await connection.nextPart(of: offer.file) {
            switch part {
            case .bytes(let bytes):
                received += UInt64(bytes.count)
                do throws(StorageError) {
                    try await file.write(bytes)
                    if !isChecked, received >= offer.manifest {
                        isChecked = true
                        try await file.checkManifest()
                    }
                } catch {
                    return await giveUp(error)
                }
                show(received, &lastPercent)
            case .complete(let digest): return await complete(file, digest)
            case .ended(let reason, let byPeer): return await ended(file, reason, byPeer: byPeer)
            }
        }
        await file.keep()
        return told(.unfinished(offer.name))
    }

    /// Shows progress once for each per cent.
    private func show(_ received: UInt64, _ lastPercent: inout UInt64?) {
        let progress = FileProgress(direction: .received, name: offer.name, transferred: received, size: offer.size)
        guard progress.percent != lastPercent else { return }
        lastPercent = progress.percent
        session.showProgress(progress)
    }

    // MARK: The end

    private func complete(_ file: ReceivedFile, _ digest: Digest) async -> CommandFailure? {
        do throws(StorageError) {
            let path = try await file.finish()
            session.showProgress(nil)
            session.tell(.fileReceived(name: offer.name, path: path, size: offer.size, digest))
        } catch {
            return await giveUp(error)
        }
        // This happens only now, because FILE_DONE says that the file has been stored (R15.3-6). A link that has ended
        // meanwhile cannot say so.
        try? await connection.confirmFile(offer.file)
        return nil
    }

    private func ended(
        _ file: ReceivedFile, _ reason: FileCancel.Reason, byPeer: Bool
    ) async -> CommandFailure? {
        if reason.keepsBeginning { await file.keep() } else { await file.discard() }
        // The peer offers the file anew, and from its beginning.
        if reason == .beginningDiffers { return nil }
        return told(CommandFailure(reason, byPeer: byPeer, file: offer.name))
    }

    /// Refuses a file that this side cannot store.
    private func giveUp(_ error: StorageError) async -> CommandFailure? {
        names.take(offer.file)
        try? await connection.refuseFile(offer.file, reason: error.storingReason)
        return told(CommandFailure(error))
    }

    private func told(_ failure: CommandFailure) -> CommandFailure {
        session.showProgress(nil)
        session.tell(.fileFailed(.received, name: offer.name, failure))
        return failure
    }
}
