import MultipeerCore
import MultipeerCrypto
import MultipeerStorage
import MultipeerWire

/// Sends one file, and continues where an earlier link stopped if the peer holds a beginning.
struct FileSender: Sendable {
    let link: any FileLink
    let file: OutgoingFile
    /// The name that the peer sees.
    let name: String
    /// The file's tag; zeros if it cannot be resumed.
    let tag: [UInt8]
    /// What the peer hears if the task is cancelled.
    let cancellation: @Sendable () -> FileCancel.Reason
    let news: OutgoingNews
    let end: LinkEndSignal
    let settings: FileTransferSettings
    let onEvent: @Sendable (TransferEvent) -> Void

    func run() async throws(TransferError) -> Digest {
        let first = await attempt(tag: tag)
        // What the peer held was the beginning of something else. Without a tag it does not try that again (R15.3-10).
        guard case .failure(.cancelled(.beginningDiffers, byPeer: false)) = first else { return try first.get() }
        return try await attempt(tag: FileOffer.noTag).get()
    }

    private func attempt(tag: [UInt8]) async -> Result<Digest, TransferError> {
        // Programs cancel their tasks because the link has ended: then that is the reason.
        guard !Task.isCancelled || end.isOver else { return .failure(.cancelled(cancellation(), byPeer: false)) }
        let offer = OutgoingOffer(
            name: name, size: file.length, tag: tag, kind: file.kind, modified: file.modified,
            manifest: file.manifest)
        let source = SuppliedFile(
            file, digest: settings.digest, progress: ProgressMeter(.outgoing, name, file.length, settings.now),
            onProgress: { [onEvent] in onEvent(.progress($0)) })
        news.beginOffer()
        let id: FileID
        do throws(RequestError) {
            id = try await link.offerFile(offer, from: source)
        } catch {
            news.endOffer(nil)
            return .failure(await refused(error))
        }
        news.endOffer(id)
        defer { news.forget(id) }
        onEvent(.offered)
        return await withTaskCancellationHandler {
            await follow(id, source)
        } onCancel: {
            // Its end comes as an event, unless another end was faster.
            Task { [link, cancellation] in try? await link.cancelFile(id, reason: cancellation()) }
        }
    }

    private func follow(_ id: FileID, _ source: SuppliedFile) async -> Result<Digest, TransferError> {
        var isAccepted = false
        while let event = await news.next(of: id) {
            switch event {
            case .accepted:
                isAccepted = true
                onEvent(.accepted(offset: source.held))
            case .wanted, .beginningWanted: break
            case .renamed(_, let renamed): onEvent(.renamed(renamed))
            case .kept: onEvent(.kept)
            case .delivered(_, let digest): return .success(digest)
            case .ended(_, let reason, byPeer: true) where !isAccepted: return .failure(Self.notTaken(reason))
            case .ended(_, let reason, let byPeer): return .failure(failure(reason, byPeer: byPeer, source))
            }
        }
        return .failure(.linkEnded(await end.wait()))
    }

    /// Why a file was not even offered: the link is over, or the protocol does not allow the offer.
    private func refused(_ error: RequestError) async -> TransferError {
        switch error {
        case .wrongStage: .linkEnded(await end.wait())
        default: .refused(error)
        }
    }

    /// Why the peer has not taken an offer (SPEC §15.3).
    private static func notTaken(_ reason: FileCancel.Reason) -> TransferError {
        switch reason {
        case .stalled: .unanswered
        case .interrupted: .busy
        default: .cancelled(reason, byPeer: true)
        }
    }

    /// Why a file ended early. The error of the disk says more than the reason that the peer hears.
    private func failure(_ reason: FileCancel.Reason, byPeer: Bool, _ source: SuppliedFile) -> TransferError {
        if !byPeer, let failure = source.failure { return .storage(failure) }
        return .cancelled(reason, byPeer: byPeer)
    }
}
