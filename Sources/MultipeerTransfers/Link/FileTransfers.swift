public import MultipeerCore
public import MultipeerCrypto
public import MultipeerStorage
public import MultipeerWire
import Synchronization

/// The files of one link, in both directions: sends what is on the local disk, and stores what the peer offers (SPEC
/// §15.3).
///
/// Somebody else takes the events of the link, and passes each of them to ``report(_:)-(LinkEffect)``. Those that are not about files change
/// nothing. When no more events come, whether the link has ended or the program takes no more, ``finish()`` ends what waits
/// for them.
///
/// A transfer ends by itself when its link does. What has arrived is kept then, and the transfer continues over the
/// next link (SPEC §15.7). A task that is cancelled gives its file up: the remote peer is notified, and the receiver
/// keeps nothing.
public final class FileTransfers: Sendable {
    private let link: any FileLink
    private let settings: FileTransferSettings
    private let news = OutgoingNews()
    private let offers = IncomingOffers()
    private let end = LinkEndSignal()
    private let sending: AsyncSemaphore<UInt64>
    private let receiving: AsyncSemaphore<FileID>
    private let lastTicket = Mutex<UInt64>(0)

    /// - Parameters:
    ///   - link: The link. It is kept alive.
    ///   - settings: How files are hashed and timed, and how many go at a time.
    public init(over link: any FileLink, settings: FileTransferSettings) {
        self.link = link
        self.settings = settings
        sending = AsyncSemaphore(settings.sendsAtOnce)
        receiving = AsyncSemaphore(settings.receivesAtOnce)
    }

    // MARK: Events

    /// Takes an event of the link. The order of events must be kept.
    public func report(_ event: LinkEffect) {
        switch event {
        case .outgoingFile(let event): news.report(event)
        case .incomingFile(let event): report(event)
        case .closed(let end): report(end)
        default: break
        }
    }

    /// The link has ended. This is the same as the event.
    public func report(_ linkEnd: LinkEnd) {
        end.set(linkEnd)
        finish()
    }

    /// No more events come. What waits for one ends, as if the link had ended.
    public func finish() {
        end.finish()
        news.finish()
        offers.finish()
        receiving.withdrawAll()
    }

    private func report(_ event: IncomingFileEvent) {
        switch event {
        case .offered(let offer): offers.add(offer.file)
        case .ended(let file, let reason, let byPeer):
            offers.end(file, IncomingOffers.Ending(reason: reason, byPeer: byPeer))
            receiving.withdraw(file)
        // The one that has accepted a file takes the rest.
        case .data, .complete: break
        }
    }

    // MARK: Transfers

    /// Sends a file or folder, and returns when the peer has stored it. If the peer holds a beginning, only the rest is sent.
    ///
    /// While ``FileTransferSettings/sendsAtOnce`` files of this link are under way, the call waits. If the task is
    /// cancelled, so is the file, and the peer is notified.
    /// - Parameters:
    ///   - file: The file.
    ///   - name: The name that the peer sees, 1–255 bytes; by default its own name.
    ///   - tag: What distinguishes its content from other content, 16 bytes (`OutgoingTags`). Without one, the file
    ///     cannot be resumed.
    ///   - reason: What the peer hears if the task is cancelled: `cancelled`, or `interrupted` so that it keeps what
    ///     has arrived. It is asked for when that happens.
    ///   - onEvent: Told how far it has come, on a thread that must not block.
    /// - Returns: The SHA-256 of all bytes, which the peer has compared.
    public func send(
        _ file: OutgoingFile, named name: String? = nil, tag: [UInt8] = FileOffer.noTag,
        whenCancelled reason: @escaping @autoclosure @Sendable () -> FileCancel.Reason = .cancelled,
        onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
    ) async throws(TransferError) -> Digest {
        let ticket = lastTicket.withLock { last in
            last += 1
            return last
        }
        guard await sending.take(ticket) else {
            throw end.isOver ? .linkEnded(await end.wait()) : .cancelled(reason(), byPeer: false)
        }
        defer { sending.give() }
        if file.omitted.count > 0 { onEvent(.leftOut(file.omitted)) }
        let sender = FileSender(
            link: link, file: file, name: name ?? file.name, tag: tag, cancellation: reason, news: news, end: end,
            settings: settings, onEvent: onEvent)
        return try await sender.run()
    }

    /// Stores a file or folder that the peer offers. What is held of it from an earlier link is not sent again.
    ///
    /// While ``FileTransferSettings/receivesAtOnce`` files of this link are under way, the call waits. If the task is cancelled,
    /// the file is refused and what has come of it is removed. A file of which everything has come is stored all the same
    /// (R16.1-5).
    /// - Parameters:
    ///   - offer: What the peer offers. It must not have been answered.
    ///   - sender: The peer.
    ///   - folder: The path of the folder for the file, which must exist (``DownloadDirectory``).
    ///   - isNameShown: Whether the person who takes it has seen its local name. Otherwise it gets no full stop at its beginning (R15.5-3).
    ///   - keepsIdentical: Whether a file of that name with the same bytes stays in place of what comes, and the peer
    ///     hears so. A folder stays if it holds the same files and folders.
    ///   - onEvent: Told how far it has come.
    /// - Returns: The file, which is on the disk and stays there if the power fails.
    public func receive(
        _ offer: IncomingOffer, from sender: IdentityKey, into folder: String, isNameShown: Bool = false,
        keepsIdentical: Bool = false, onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
    ) async throws(TransferError) -> StoredFile {
        offers.add(offer.file)
        defer { offers.forget(offer.file) }
        let hasPlace = await receiving.take(offer.file) { [offers, end] in
            offers.ending(of: offer.file) != nil || end.isOver
        }
        let receiver = FileReceiver(
            link: link, offer: offer, sender: sender, folder: folder,
            name: isNameShown ? offer.localName : SanitizedFileName.visible(offer.localName),
            keepsIdentical: keepsIdentical, offers: offers, end: end, settings: settings, onEvent: onEvent)
        guard hasPlace else { throw await receiver.giveUpWaiting() }
        defer { receiving.give() }
        return try await receiver.run()
    }

    /// Declines an offer if there is no room for it now, beside all that this process is receiving.
    /// - Parameters:
    ///   - offer: The offer, to which nobody has answered.
    ///   - sender: The peer that offers it.
    ///   - folder: Where it would be stored.
    ///   - waiting: How many bytes the same sender's other offers need that nobody has answered yet (``OfferRoom/needed(_:)``): a person
    ///     that takes one usually takes all.
    /// - Returns: How much room it needs, or that it was declined.
    public func declineWithoutRoom(
        _ offer: IncomingOffer, from sender: IdentityKey, into folder: String, beside waiting: UInt64 = 0
    ) async -> OfferRoom {
        do throws(StorageError) {
            return .needed(
                try await ReceivedFile.checkRoom(
                    for: StoredOffer(offer, named: offer.localName), from: sender, in: folder, beside: waiting,
                    limits: settings.heldLimits))
        } catch {
            // What else is wrong with the folder is found, and reported, when the offer is taken.
            guard error.reason == .noSpace else { return .needed(0) }
            await decline(offer, reason: error.storingReason)
            return .declined(.storage(error))
        }
    }

    /// Waits until the peer withdraws an offer that the local peer has not answered. Returns false if the offer is
    /// answered or the link ends before, or the task is cancelled.
    public func waitForWithdrawal(of offer: IncomingOffer) async -> Bool {
        await offers.waitForEnding(of: offer.file)?.byPeer ?? false
    }

    /// How many wait for the withdrawal of an offer.
    package func waiterCount(of offer: IncomingOffer) -> Int { offers.waiterCount(of: offer.file) }

    /// Tells the peer that the local peer does not take a file. If the offer has ended meanwhile, nothing happens.
    public func decline(_ offer: IncomingOffer, reason: FileCancel.Reason = .declined) async {
        offers.forget(offer.file)
        try? await link.refuseFile(offer.file, reason: reason)
    }

    /// The same where nobody can wait, as in a `deinit`.
    public func submitDecline(of offer: IncomingOffer) {
        offers.forget(offer.file)
        link.submitRefusal(of: offer.file)
    }
}

/// Whether the disk has room for what a peer offers.
public enum OfferRoom: Hashable, Sendable {
    /// It has. The offer needs N bytes of it, and fewer than its size where a beginning is held.
    case needed(UInt64)
    /// It has not, so the offer was declined.
    case declined(TransferError)
}
