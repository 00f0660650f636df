import MultipeerCore
public import MultipeerCrypto
import MultipeerStorage
public import MultipeerTransfers
public import MultipeerWire
import Synchronization

extension Session {
    /// Sends a file or folder to a member, and returns when the member has stored it.
    ///
    /// If the connection is lost, the call fails; calling it again sends only what the member has not got yet (SPEC §15.7). A
    /// temporary peer's files begin anew. If the task is cancelled, so is the file.
    /// - Parameters:
    ///   - path: The file or folder.
    ///   - peer: The member that gets it.
    ///   - name: The name that the member sees, 1–255 bytes; by default its own name.
    ///   - reason: What the member hears if the task is cancelled. `interrupted` lets it keep what has arrived, so that
    ///     the transfer can continue later. It is asked for when that happens.
    ///   - onEvent: Told how far it has come, with the rate and the time left.
    /// - Returns: The SHA-256 of all bytes, which the member has compared.
    /// - Throws: ``MultipeerError``.
    @discardableResult
    public func sendFile(
        _ path: String, to peer: PeerID, named name: String? = nil,
        whenCancelled reason: @escaping @autoclosure @Sendable () -> FileCancel.Reason = .cancelled,
        onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
    ) async throws(MultipeerError) -> Digest {
        guard let member = core.member(peer.key) else { throw .file(.linkEnded(nil)) }
        let file: OutgoingFile
        do throws(StorageError) {
            file = try await OutgoingFile.open(path)
        } catch {
            throw .file(.storage(error))
        }
        // Without a tag it is sent whole.
        let tag = try? self.peer.host.identity.tags?.tag(of: file, for: peer.key)
        do throws(TransferError) {
            return try await member.transfers.send(
                file, named: name, tag: tag ?? FileOffer.noTag, whenCancelled: reason(), onEvent: onEvent)
        } catch {
            throw .file(error)
        }
    }
}

/// A file or folder that a member offers. Accept it, or decline it; one that nobody keeps is declined.
public final class OfferedFile: Sendable {
    /// The member that offers it.
    public let member: Member
    /// What the member calls it. It is text of a stranger, and no path.
    public let name: String
    /// What it would be called in a folder, if a person has seen that name. It may begin with a full stop.
    public let localName: String
    /// What it is called in a folder if nobody has seen its name: ``localName`` without full stops at its beginning.
    public var visibleName: String { SanitizedFileName.visible(localName) }
    /// In bytes.
    public let size: UInt64
    /// Whether it is a file or a folder.
    public let kind: FileKind
    private let offer: IncomingOffer
    private let transfers: FileTransfers
    private let isAnswered = Mutex(false)

    init(_ offer: IncomingOffer, from sender: ConnectedMember) {
        self.offer = offer
        member = sender.member
        transfers = sender.transfers
        (name, localName, size, kind) = (offer.name, offer.localName, offer.size, offer.kind)
    }

    deinit {
        guard !isAnswered.withLock({ $0 }) else { return }
        transfers.submitDecline(of: offer)
    }

    /// Takes the file into a folder, and returns when it is stored. Nothing is overwritten; what came of it earlier is not sent
    /// again. If the task is cancelled, the file is refused.
    /// - Parameters:
    ///   - folder: The path of the folder, which is created if it does not exist.
    ///   - isNameShown: Whether the person who takes it has seen ``localName``. Otherwise full stops at its beginning are removed, because
    ///     programs read such files without being asked.
    ///   - keepsIdentical: Whether a file of that name with the same bytes stays in place of what comes
    ///     (`StoredFile.isKept`), and the member hears so. A folder stays if it holds the same files and folders.
    ///   - onEvent: Told how far it has come, with the rate and the time left.
    /// - Throws: ``MultipeerError``.
    @discardableResult
    public func accept(
        into folder: String, isNameShown: Bool = false, keepsIdentical: Bool = false,
        onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
    ) async throws(MultipeerError) -> StoredFile {
        isAnswered.withLock { $0 = true }
        do throws(StorageError) {
            _ = try await DownloadDirectory.open(folder)
        } catch {
            // A task that is cancelled has no faulty disk.
            guard error.reason != .cancelled else {
                await transfers.decline(offer, reason: .cancelled)
                throw .file(.cancelled(.cancelled, byPeer: false))
            }
            await transfers.decline(offer, reason: error.storingReason)
            throw .file(.storage(error))
        }
        do throws(TransferError) {
            return try await transfers.receive(
                offer, from: member.id.key, into: folder, isNameShown: isNameShown, keepsIdentical: keepsIdentical,
                onEvent: onEvent)
        } catch {
            throw .file(error)
        }
    }

    /// Declines the file if the folder's disk has no room for it, so that nobody is asked about what cannot be taken.
    /// - Parameters:
    ///   - folder: The path of the folder, which must exist.
    ///   - waiting: How many bytes other offers of the member need that were not answered yet, and may be taken as well.
    /// - Returns: How many bytes it needs, or that it was declined, and why.
    public func declineWithoutRoom(in folder: String, beside waiting: UInt64 = 0) async -> OfferRoom {
        let room = await transfers.declineWithoutRoom(offer, from: member.id.key, into: folder, beside: waiting)
        if case .declined = room { isAnswered.withLock { $0 = true } }
        return room
    }

    /// Waits until the member withdraws the offer, so that nobody is asked about it any more. Returns false if it is accepted or declined
    /// or the connection ends before, or the task is cancelled.
    public func waitForWithdrawal() async -> Bool { await transfers.waitForWithdrawal(of: offer) }

    /// How many wait for its withdrawal.
    package var waiterCount: Int { transfers.waiterCount(of: offer) }

    /// Does not take the file.
    /// - Parameter reason: What the member hears.
    public func decline(_ reason: OfferRefusal = .declined) async {
        isAnswered.withLock { $0 = true }
        await transfers.decline(offer, reason: reason.code)
    }
}

/// Why an offered file is not taken, as its sender hears (SPEC §15.3).
public enum OfferRefusal: Hashable, Sendable {
    /// A person, or a rule of the app, does not want it.
    case declined
    /// Nobody has answered the question about it in time.
    case unanswered
    /// Nobody can be asked about it now, or the app is about to end. The sender may offer it again later.
    case busy

    fileprivate var code: FileCancel.Reason {
        switch self {
        case .declined: .declined
        case .unanswered: .stalled
        case .busy: .interrupted
        }
    }
}
