import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerStorage
import MultipeerWire

/// Sends messages and files when the session is open, and then closes it.
struct Sender: Sendable {
    let session: Session
    let outbox: Outbox
    /// The events of the files.
    let news: OutgoingNews

    private var connection: LinkConnection { session.connection }

    /// Runs to the end, and returns the first failure.
    func run() async -> CommandFailure? {
        var failure = await sendMessages()
        var iterator = news.stream.makeAsyncIterator()
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
                    "session", "the peer accepts messages of at most \(maximum) bytes", remedy: "Send it as a file",
                    .refused)
            }
        }
        return nil
    }

    private func send(
        _ file: OutgoingFile, _ iterator: inout AsyncStream<OutgoingNews.Item>.Iterator
    ) async -> CommandFailure? {
        let feed = news.feed
        let source = SuppliedFile(file) { feed.yield(.progress($0)) }
        do throws(RequestError) {
            _ = try await connection.offerFile(name: file.name, size: file.length, from: source)
        } catch {
            // Either the link is over, or the protocol does not allow the name.
            guard error == .invalidFile else { return told(await Self.linkEnded(&iterator, file), file) }
            return CommandFailure(
                "file transfer", "\(SafeText.escape(file.path)): its name has more than 255 bytes, or is not UTF-8",
                remedy: "Give the file another name", .usage)
        }
        defer { session.showProgress(nil) }
        while let item = await iterator.next() {
            switch item {
            case .progress(let progress): session.showProgress(progress)
            case .event(.accepted), .event(.wanted), .event(.beginningWanted): break
            case .event(.delivered(_, let digest)):
                session.showProgress(nil)
                session.tell(.fileSent(name: file.name, path: file.path, size: file.length, digest))
                return nil
            case .event(.ended(_, let reason, let byPeer)):
                return told(Self.failure(reason, byPeer: byPeer, source, file), file)
            case .linkEnded(let end): return told(Self.failure(end, file), file)
            }
        }
        return told(.unfinished(file.path), file)
    }

    /// Returns why a file was not even offered, because the link had ended.
    private static func linkEnded(
        _ iterator: inout AsyncStream<OutgoingNews.Item>.Iterator, _ file: OutgoingFile
    ) async -> CommandFailure {
        while let item = await iterator.next() {
            if case .linkEnded(let end) = item { return failure(end, file) }
        }
        return .unfinished(file.path)
    }

    /// Returns why a file was not sent to its end, although nobody cancelled it. A peer that closes the session in good
    /// order cancels every file, those that it has not heard of as well. So its user's Ctrl-C is one reason, whatever was
    /// under way.
    private static func failure(_ end: LinkEnd, _ file: OutgoingFile) -> CommandFailure {
        switch end {
        case .finished: CommandFailure(.cancelled, byPeer: true, file: file.path)
        case .failed: .unfinished(file.path)
        }
    }

    /// Returns why a file ended early. The error of the disk says more than that the source failed.
    private static func failure(
        _ reason: FileCancel.Reason, byPeer: Bool, _ source: SuppliedFile, _ file: OutgoingFile
    ) -> CommandFailure {
        if reason == .sourceFailed, !byPeer, let failure = source.failure { return CommandFailure(failure) }
        return CommandFailure(reason, byPeer: byPeer, file: file.path)
    }

    private func told(_ failure: CommandFailure, _ file: OutgoingFile) -> CommandFailure {
        session.showProgress(nil)
        session.tell(.fileFailed(.sent, name: file.name, failure))
        return failure
    }
}

/// A stream of what happens to the files that this side sends, in order.
struct OutgoingNews: Sendable {
    enum Item: Sendable {
        case event(OutgoingFileEvent)
        case progress(FileProgress)
        /// Nothing more happens.
        case linkEnded(LinkEnd)
    }

    let stream: AsyncStream<Item>
    let feed: AsyncStream<Item>.Continuation

    init() {
        (stream, feed) = AsyncStream.makeStream(of: Item.self)
    }
}
