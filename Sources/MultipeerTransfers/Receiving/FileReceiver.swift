import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerStorage
import MultipeerWire

/// Receives one file that the peer offers, and holds what has come of it if it does not come to its end.
struct FileReceiver: Sendable {
    let link: any FileLink
    let offer: IncomingOffer
    let sender: IdentityKey
    /// The path of the folder for the file.
    let folder: String
    /// What the file is to be called there.
    let name: String
    /// Whether a file of this name with the same bytes stays in place of what comes.
    let keepsIdentical: Bool
    let offers: IncomingOffers
    let end: LinkEndSignal
    let settings: FileTransferSettings
    let onEvent: @Sendable (TransferEvent) -> Void

    func run() async throws(TransferError) -> StoredFile {
        let begun = try await begin()
        try await accept(begun)
        let held = begun.beginning?.length ?? 0
        onEvent(.accepted(offset: held))
        let progress = ProgressMeter(.incoming, offer.name, offer.size, settings.now)
        progress.begin(at: held)
        return try await receive(begun.file, held: held, progress)
    }

    private func begin() async throws(TransferError) -> BegunFile {
        do throws(StorageError) {
            return try await ReceivedFile.begin(
                StoredOffer(offer, named: name), from: sender, in: folder, limits: settings.heldLimits,
                digest: settings.digest,
                now: settings.wallClock())
        } catch {
            throw await refuse(nil, error)
        }
    }

    private func accept(_ begun: BegunFile) async throws(TransferError) {
        do throws(RequestError) {
            try await link.receiveFile(offer.file, holding: begun.beginning)
        } catch {
            throw await notAccepted(begun.file, error)
        }
    }

    private func receive(
        _ file: ReceivedFile, held: UInt64, _ progress: ProgressMeter
    ) async throws(TransferError) -> StoredFile {
        var received = held
        var isChecked = offer.kind != .folder
        while let part = await link.nextPart(of: offer.file) {
            switch part {
            case .bytes(let bytes):
                received += UInt64(bytes.count)
                let isManifestComplete = !isChecked && received >= offer.manifest
                try await write(bytes, to: file, checksManifest: isManifestComplete)
                if isManifestComplete { isChecked = true }
                if let news = progress.advance(to: received, by: bytes.count) { onEvent(.progress(news)) }
            case .complete(let digest):
                // What has come whole is stored whole, even if the task is cancelled now (R16.1-5).
                return try await Task { await complete(file, digest) }.value.get()
            case .ended(let reason, let byPeer):
                await dispose(of: file, keeping: reason.keepsBeginning)
                throw .cancelled(reason, byPeer: byPeer)
            }
        }
        guard !Task.isCancelled else { throw await cancel(file) }
        await file.keep()
        throw .linkEnded(await end.wait())
    }

    private func write(
        _ bytes: [UInt8], to file: ReceivedFile, checksManifest: Bool
    ) async throws(TransferError) {
        do throws(StorageError) {
            try await file.write(bytes)
            if checksManifest { try await file.checkManifest() }
        } catch {
            throw await refuse(file, error)
        }
    }

    // MARK: The end

    private func complete(_ file: ReceivedFile, _ digest: Digest) async -> Result<StoredFile, TransferError> {
        let finished: FinishedFile
        do throws(StorageError) {
            finished = try await file.finish(keepingIdentical: keepsIdentical)
        } catch {
            return .failure(await refuse(nil, error))
        }
        // This happens only now, because FILE_DONE says that the file has been stored (R15.3-6). A link that has ended
        // meanwhile cannot say so.
        try? await link.confirmFile(offer.file, renamed: renamed(finished), isKept: finished.isKept)
        return .success(
            StoredFile(
                path: finished.path, localName: finished.name, renamed: finished.renamed, size: offer.size,
                digest: digest, isKept: finished.isKept))
    }

    /// What the sender hears of names. A number that follows the name of the whole, because that was taken, is not
    /// reported: it would say what else is in the folder.
    private func renamed(_ finished: FinishedFile) -> RenamedNames? {
        var names = finished.renamed.named.map {
            RenamedNames.Name(path: Array($0.path.utf8), localPath: Array($0.localPath.utf8))
        }
        if !offer.name.utf8.elementsEqual(finished.name.utf8) {
            names.insert(RenamedNames.Name(path: [], localPath: Array(finished.name.utf8)), at: 0)
        }
        let count = UInt64(finished.renamed.count) + (names.count > finished.renamed.named.count ? 1 : 0)
        return count == 0 ? nil : RenamedNames(count: count, names: names)
    }

    /// Why the offer got no place to be received in.
    func giveUpWaiting() async -> TransferError {
        if let ending = offers.ending(of: offer.file) { return .cancelled(ending.reason, byPeer: ending.byPeer) }
        if end.isOver { return .linkEnded(await end.wait()) }
        return await cancel(nil)
    }

    /// The link does not take the acceptance: the peer has taken the offer back, or the link is over.
    private func notAccepted(_ file: ReceivedFile, _ error: RequestError) async -> TransferError {
        guard error == .unknownFile, let ending = await offers.waitForEnding(of: offer.file) else {
            await file.keep()
            return .linkEnded(await end.wait())
        }
        await dispose(of: file, keeping: ending.reason.keepsBeginning)
        return .cancelled(ending.reason, byPeer: ending.byPeer)
    }

    /// Refuses a file that the local peer cannot store. `file` has not ended by itself.
    private func refuse(_ file: ReceivedFile?, _ error: StorageError) async -> TransferError {
        if error.reason == .cancelled, Task.isCancelled { return await cancel(file) }
        try? await link.refuseFile(offer.file, reason: error.storingReason)
        return .storage(error)
    }

    /// The task has been cancelled. What came of the file is kept only if the link was faster.
    private func cancel(_ file: ReceivedFile?) async -> TransferError {
        do throws(RequestError) {
            try await link.refuseFile(offer.file, reason: .cancelled)
        } catch {
            if case .wrongStage = error {
                await file?.keep()
                return .linkEnded(await end.wait())
            }
        }
        await file?.discard()
        return .cancelled(.cancelled, byPeer: false)
    }

    private func dispose(of file: ReceivedFile, keeping: Bool) async {
        if keeping { await file.keep() } else { await file.discard() }
    }
}
