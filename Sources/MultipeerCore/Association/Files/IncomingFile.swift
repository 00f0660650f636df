import MultipeerCrypto
import MultipeerWire

/// One file that the peer sends (SPEC §15.3).
final class IncomingFile {
    private enum State {
        case offered
        case receiving(Transfer)
        /// Size and hash are right; the app stores the file.
        case storing
        /// The local peer has cancelled the file. What comes is judged and dropped until the remote peer's FILE_CANCEL
        /// (R15.3-7).
        case cancelled(Transfer?)
    }

    private struct Transfer {
        let digester: any Digester
        /// The position, and its limit.
        var window: ReceiveWindow
        /// Up to where the app has taken the bytes.
        var taken: UInt64
        /// Up to where it takes them: the size, or less while it looks at a folder's manifest (R13.5-2).
        var cap: UInt64
    }

    /// What came of FILE_END.
    enum End {
        case complete(Digest)
        case otherHash
        case dropped
    }

    let id: UInt64
    let size: UInt64
    private var state = State.offered
    /// Whether CREDIT waits to be built.
    var isCreditQueued = false

    init(_ offer: FileOffer) {
        id = offer.id
        size = offer.size
    }

    /// Whether the app has ended the file, and the peer has not yet.
    var isCancelled: Bool { if case .cancelled = state { true } else { false } }
    /// Whether the peer must send more before the file continues, and may.
    var awaitsPeer: Bool {
        if case .receiving(let transfer) = state { transfer.window.limit > transfer.window.used } else { false }
    }
    /// Whether a limit is to be announced to the peer.
    var isCreditDue: Bool { if case .receiving(let transfer) = state { transfer.window.isDue } else { false } }
    /// Whether the hash is right and the app stores the file: that outlives the link (R16.1-5).
    var isStoring: Bool { if case .storing = state { true } else { false } }

    // MARK: Another link

    /// The position after the last byte that came, while it is *receiving* (R13.9-5).
    var position: UInt64? { if case .receiving(let transfer) = state { transfer.window.used } else { nil } }

    /// Another link continues the association.
    func resume() {
        guard case .receiving(var transfer) = state else { return }
        transfer.window.resume()
        state = .receiving(transfer)
    }

    // MARK: Decisions of the app

    /// The app takes the file. Returns the answer; nil if it is not at this point, or holds more than the file has, or what it holds was
    /// used for a file already.
    /// - Parameters:
    ///   - held: What it holds already.
    ///   - credit: What the peer may send at first.
    ///   - looks: Whether it grants no more before ``consent()``.
    ///   - digester: For a file of which nothing is held.
    func accept(_ held: HeldBeginning?, credit: UInt64, looks: Bool, digester: any Digester) -> FileAccept? {
        let offset = held?.length ?? 0
        guard case .offered = state, offset <= size else { return nil }
        let continuing: (any Digester)?
        if let held { continuing = held.takeDigester() } else { continuing = digester }
        guard let continuing else { return nil }
        let first = min(credit, size - offset)
        var window = ReceiveWindow(limit: offset + first, used: offset, window: max(credit, BulkMemory.base))
        let cap = looks ? offset + first : size
        window.release(offset, cap: cap)
        state = .receiving(Transfer(digester: continuing, window: window, taken: offset, cap: cap))
        return FileAccept(
            id: id, offset: offset, digest: held?.digest.rawBytes ?? FileAccept.digestOfNothing, credit: first)
    }

    /// The app has looked at the manifest, and takes the rest (SPEC §15.8). False if it is not at this point.
    func consent() -> Bool {
        guard case .receiving(var transfer) = state else { return false }
        transfer.cap = size
        transfer.window.release(transfer.taken, cap: size)
        state = .receiving(transfer)
        return true
    }

    /// The app ends the file. False if it is not at such a point.
    func cancel() -> Bool {
        switch state {
        case .offered, .storing: state = .cancelled(nil)
        case .receiving(let transfer): state = .cancelled(transfer)
        case .cancelled: return false
        }
        return true
    }

    /// The app has stored the file. False if it is not at this point.
    func confirm() -> Bool { if case .storing = state { true } else { false } }

    /// The app has taken bytes.
    func releaseCredit(_ count: Int) {
        guard case .receiving(var transfer) = state else { return }
        transfer.taken += min(UInt64(clamping: count), transfer.window.used - transfer.taken)
        transfer.window.release(transfer.taken, cap: transfer.cap)
        state = .receiving(transfer)
    }

    /// The app may leave more untaken.
    func grow(by count: UInt64) {
        guard case .receiving(var transfer) = state else { return }
        transfer.window.grow(by: count)
        transfer.window.release(transfer.taken, cap: transfer.cap)
        state = .receiving(transfer)
    }

    /// CREDIT with the newest limit; nil if there is none to tell.
    func takeCredit() -> Credit? {
        guard case .receiving(var transfer) = state, transfer.window.isDue else { return nil }
        defer { state = .receiving(transfer) }
        return Credit(kind: .file, id: id, limit: transfer.window.announce())
    }

    // MARK: Frames

    /// FILE_DATA came. Returns whether the bytes are handed out.
    func receive(offset: UInt64, _ data: Span<UInt8>) throws(LinkFailureCause) -> Bool {
        switch state {
        case .offered, .storing, .cancelled(nil): throw .unexpected(.fileData)
        case .receiving(var transfer):
            try judge(&transfer, offset, data.count)
            transfer.digester.update(data)
            state = .receiving(transfer)
            return true
        case .cancelled(.some(var transfer)):
            try judge(&transfer, offset, data.count)
            state = .cancelled(transfer)
            return false
        }
    }

    /// First the place, then the length, then credit (R15.3-3).
    private func judge(_ transfer: inout Transfer, _ offset: UInt64, _ count: Int) throws(LinkFailureCause) {
        guard offset == transfer.window.used else { throw .malformed(WireError(.valueOutOfRange, in: .fileOffset)) }
        guard UInt64(count) <= size - offset else { throw .malformed(WireError(.lengthOutOfRange, in: .fileData)) }
        try transfer.window.use(UInt64(count))
    }

    /// FILE_END came (R15.3-4, R15.3-5).
    func receive(_ end: FileEnd) throws(LinkFailureCause) -> End {
        switch state {
        case .receiving(let transfer) where transfer.window.used == size:
            let digest: Digest
            do {
                digest = try transfer.digester.finish()
            } catch {
                throw .crypto(error)
            }
            let isRight = digest.rawBytes == end.digest
            state = isRight ? .storing : .cancelled(nil)
            return isRight ? .complete(digest) : .otherHash
        case .cancelled(.some(let transfer)) where transfer.window.used == size:
            state = .cancelled(nil)
            return .dropped
        case .offered, .receiving, .storing, .cancelled: throw .unexpected(.fileEnd)
        }
    }
}
