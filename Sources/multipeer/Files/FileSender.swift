import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerStorage
import MultipeerWire

/// Sends one file, and goes on where an earlier link stopped if the peer holds a beginning.
struct FileSender: Sendable {
    let session: Session
    let file: OutgoingFile
    /// The file's tag; zeros if it cannot be resumed.
    let tag: [UInt8]
    let news: OutgoingNews

    /// Runs to the end, and returns the failure.
    func run() async -> CommandFailure? {
        var outcome = await attempt(tag: tag)
        // What the peer held was the beginning of something else. Without a tag it does not try that again (R15.3-10).
        if case .beginningDiffers = outcome { outcome = await attempt(tag: FileOffer.noTag) }
        session.showProgress(nil)
        switch outcome {
        case .sent(let digest):
            session.tell(.fileSent(name: file.name, path: file.path, size: file.length, digest))
            return nil
        case .beginningDiffers: return told(CommandFailure(.beginningDiffers, byPeer: false, file: file.path))
        case .failed(let failure): return told(failure)
        }
    }

    private enum Outcome {
        case sent(Digest)
        case beginningDiffers
        case failed(CommandFailure)
    }

    private func attempt(tag: [UInt8]) async -> Outcome {
        let offer = OutgoingOffer(
            name: file.name, size: file.length, tag: tag, kind: file.kind, modified: file.modified,
            manifest: file.manifest)
        let source = SuppliedFile(file, digest: session.settings.digest) { [session] in session.showProgress($0) }
        let id: FileID
        do throws(RequestError) {
            id = try await session.connection.offerFile(offer, from: source)
        } catch {
            return .failed(await refused(error))
        }
        defer { news.forget(id) }
        for await item in news.stream(of: id) {
            switch item {
            case .event(.accepted): tellResumed(source)
            case .event(.wanted), .event(.beginningWanted): break
            case .event(.delivered(_, let digest)): return .sent(digest)
            case .event(.ended(_, .beginningDiffers, byPeer: false)): return .beginningDiffers
            case .event(.ended(_, let reason, let byPeer)): return .failed(failure(reason, byPeer: byPeer, source))
            case .linkEnded(let end): return .failed(failure(end))
            }
        }
        return .failed(.unfinished(file.path))
    }

    private func tellResumed(_ source: SuppliedFile) {
        guard source.held > 0 else { return }
        session.tell(.fileResumed(.sent, name: file.name, offset: source.held, size: file.length))
    }

    // MARK: Failures

    /// Why a file was not even offered: the link is over, or the protocol does not allow the offer.
    private func refused(_ error: RequestError) async -> CommandFailure {
        switch error {
        case .invalidFile:
            CommandFailure(
                "file transfer", "\(SafeText.escape(file.path)): its name has more than 255 bytes, or is not UTF-8",
                remedy: "Give the file another name", .usage)
        case .tooManyFiles:
            CommandFailure(
                "file transfer", "\(SafeText.escape(file.path)): the peer takes no more files at once",
                remedy: "Send fewer files at a time", .refused)
        default: await news.linkEnd().map(failure) ?? .unfinished(file.path)
        }
    }

    /// Why a file was not sent to its end, although nobody cancelled it. A peer that closes the session in good order
    /// interrupts every file, those that it has not heard of as well. So its user's Ctrl-C is one reason, whatever was under
    /// way.
    private func failure(_ end: LinkEnd) -> CommandFailure {
        switch end {
        case .finished: CommandFailure(.interrupted, byPeer: true, file: file.path)
        case .failed: .unfinished(file.path)
        }
    }

    /// Why a file ended early. The error of the disk says more than the reason that the peer is told.
    private func failure(_ reason: FileCancel.Reason, byPeer: Bool, _ source: SuppliedFile) -> CommandFailure {
        if !byPeer, let failure = source.failure { return CommandFailure(failure) }
        return CommandFailure(reason, byPeer: byPeer, file: file.path)
    }

    private func told(_ failure: CommandFailure) -> CommandFailure {
        session.tell(.fileFailed(.sent, name: file.name, failure))
        return failure
    }
}
