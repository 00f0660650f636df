import MultipeerCrypto
import MultipeerWire

/// One file that the local peer sends (SPEC §15.3).
final class OutgoingFile {
    /// The most bytes asked for at once: what one record carries.
    static let chunkLength = 65_280

    private enum State {
        case offered
        /// The peer holds a beginning; the app hashes its own.
        case checking(FileAccept, SendWindow)
        /// Bytes are hashed and sent as they are supplied.
        case sending(Transfer)
        /// All bytes and FILE_END, with this digest, are sent.
        case sent(Digest, Transfer)
    }

    private struct Transfer {
        let digester: any Digester
        /// The limit of the position, and the position.
        var window: SendWindow
        /// The position at which it began.
        let start: UInt64
        /// Up to where bytes are hashed: each is once, also where it is sent again (R13.9-9).
        var hashed: UInt64
        /// The hash of all, once that is known.
        var digest: Digest?
        /// Supplied bytes, of which `chunkSent` are sent.
        var chunk: [UInt8] = []
        var chunkSent = 0
        var hasAsked = false

        var hasChunk: Bool { chunkSent < chunk.count }

        init(digester: any Digester, window: SendWindow) {
            self.digester = digester
            self.window = window
            (start, hashed) = (window.used, window.used)
        }

        mutating func hash(_ bytes: Span<UInt8>) {
            let end = window.used + UInt64(bytes.count)
            guard end > hashed else { return }
            digester.update(bytes.extracting(droppingFirst: bytes.count - Int(end - hashed)))
            hashed = end
        }
    }

    /// What came of an input.
    enum Step {
        case nothing
        /// Ask the app for the hash of the first N bytes.
        case compare(UInt64)
        /// Accepted; continue with ``next()``.
        case accepted
        case delivered(Digest)
        /// The beginning that the peer holds is another one (R15.3-10).
        case differs
    }

    /// What the file needs next.
    enum Need {
        case nothing
        case bytes(offset: UInt64, maximum: Int)
        case end(FileEnd)
        /// The hash cannot be computed.
        case failure
    }

    let id: UInt64
    let size: UInt64
    /// Whether the offer can be resumed.
    private let hasTag: Bool
    private var state = State.offered
    /// Whether it is in the ring of what waits to send.
    var isInRing = false
    /// Whether nothing of it is sent: no link carries it, or the peer does not say up to where it has the file (R13.9-9).
    private var isPaused = false

    init(_ offer: FileOffer) {
        id = offer.id
        size = offer.size
        hasTag = offer.tag != FileOffer.noTag
    }

    /// Whether a supplied byte can go out.
    var canSend: Bool {
        if case .sending(let transfer) = state {
            transfer.hasChunk && transfer.window.room > 0 && !isPaused
        } else {
            false
        }
    }

    /// How many bytes the peer holds or has been sent: the position of the next one. Nil before the peer has accepted.
    var position: UInt64? {
        switch state {
        case .offered, .checking: nil
        case .sending(let transfer): transfer.window.used
        case .sent: size
        }
    }

    /// Whether FILE_END is sent: then only the peer can end the file (R16.1-5).
    var isSent: Bool { if case .sent = state { true } else { false } }

    // MARK: Frames

    /// FILE_ACCEPT came. `digester` has taken nothing yet.
    func receive(_ accept: FileAccept, digester: any Digester) throws(LinkFailureCause) -> Step {
        guard case .offered = state else { throw .unexpected(.fileAccept) }
        // R15.3-9
        guard accept.offset <= size else { throw .malformed(WireError(.valueOutOfRange, in: .fileOffset)) }
        let window = SendWindow(limit: accept.offset + accept.credit, used: accept.offset)
        guard accept.offset == 0 else {
            // Nobody can hold a beginning of what has no tag (R15.7-2), and nothing is hashed for it (R15.3-10).
            guard hasTag else { return .differs }
            state = .checking(accept, window)
            return .compare(accept.offset)
        }
        guard accept.digest == FileAccept.digestOfNothing else { return .differs }
        state = .sending(Transfer(digester: digester, window: window))
        return .accepted
    }

    /// The app has hashed its own beginning. Nil if nobody asked.
    func compare(_ own: HeldBeginning) -> Step? {
        guard case .checking(let accept, let window) = state, own.length == accept.offset else { return nil }
        guard own.digest.rawBytes == accept.digest else { return .differs }
        guard let digester = own.takeDigester() else { return nil }
        state = .sending(Transfer(digester: digester, window: window))
        return .accepted
    }

    /// CREDIT came: a fault before FILE_ACCEPT (R13.4-3).
    func raise(to limit: UInt64) throws(LinkFailureCause) {
        switch state {
        case .offered: throw .unexpected(.credit)
        case .checking(let accept, var window):
            try window.raise(to: limit)
            state = .checking(accept, window)
        case .sending(var transfer):
            try transfer.window.raise(to: limit)
            state = .sending(transfer)
        case .sent(let digest, var transfer):
            try transfer.window.raise(to: limit)
            state = .sent(digest, transfer)
        }
    }

    /// FILE_DONE came.
    func done() throws(LinkFailureCause) -> Step {
        guard case .sent(let digest, _) = state else { throw .unexpected(.fileDone) }
        return .delivered(digest)
    }

    // MARK: Another link

    /// No link carries the association: nothing is sent, and what was supplied is asked for again.
    func pause() {
        (isPaused, isInRing) = (true, false)
        guard case .sending(var transfer) = state else { return }
        (transfer.chunk, transfer.chunkSent, transfer.hasAsked) = ([], 0, false)
        state = .sending(transfer)
    }

    /// Whether the peer can be so far (R13.9-9). Before FILE_ACCEPT that does not matter.
    func mayContinue(at offset: UInt64) -> Bool {
        switch state {
        case .offered: true
        case .checking(let accept, _): offset == accept.offset
        case .sending(let transfer): (transfer.start...transfer.window.used).contains(offset)
        case .sent(_, let transfer): (transfer.start...transfer.window.used).contains(offset)
        }
    }

    /// Another link continues the association, and the peer is so far; nil if it does not say.
    func resume(at offset: UInt64?) {
        switch state {
        case .offered:
            isPaused = false
        case .checking(let accept, var window):
            isPaused = offset == nil
            window.resume()
            state = .checking(accept, window)
        case .sending(var transfer):
            isPaused = offset == nil
            transfer.window.resume()
            if let offset { transfer.window.rewind(to: offset) }
            state = .sending(transfer)
        case .sent(let digest, var transfer):
            isPaused = false
            transfer.window.resume()
            guard let offset else {
                state = .sent(digest, transfer)
                return
            }
            // FILE_END is sent again as well.
            transfer.window.rewind(to: offset)
            (transfer.chunk, transfer.chunkSent, transfer.hasAsked) = ([], 0, false)
            state = .sending(transfer)
        }
    }

    // MARK: Sending

    /// The app supplies bytes that were asked for. Those of another offset were asked for on a link that is lost.
    func supply(_ chunk: [UInt8], from offset: UInt64?) throws(RequestError) {
        guard case .sending(var transfer) = state, transfer.hasAsked else { throw .unknownFile }
        guard offset.map({ $0 == transfer.window.used }) ?? true else { return }
        let left = size - transfer.window.used
        guard !chunk.isEmpty, chunk.count <= Self.chunkLength, UInt64(chunk.count) <= left else {
            throw .wrongChunkLength
        }
        transfer.hash(chunk.span)
        transfer.chunk = chunk
        transfer.chunkSent = 0
        transfer.hasAsked = false
        state = .sending(transfer)
    }

    /// Writes one FILE_DATA of at most `room` bytes. Returns whether it wrote.
    @_lifetime(output: copy output)
    func write(room: Int, to output: inout OutputSpan<UInt8>) -> Bool {
        guard case .sending(var transfer) = state, transfer.hasChunk else { return false }
        let chunk = transfer.chunk
        let rest = chunk.span.extracting(droppingFirst: transfer.chunkSent)
        let allowed = rest.extracting(first: min(rest.count, transfer.window.roomInBytes))
        let written = PayloadFrame.appendFileData(
            id: id, offset: transfer.window.used, allowed, room: room, to: &output)
        guard let written else { return false }
        transfer.chunkSent += written
        transfer.window.use(UInt64(written))
        state = .sending(transfer)
        return true
    }

    /// What the file needs now that all supplied bytes are sent. Bytes are asked for once there is credit for them.
    func next() -> Need {
        guard case .sending(var transfer) = state, !transfer.hasChunk, !isPaused else { return .nothing }
        guard transfer.window.used < size else { return finish(transfer) }
        guard !transfer.hasAsked, transfer.window.room > 0 else { return .nothing }
        transfer.chunk = []
        transfer.chunkSent = 0
        transfer.hasAsked = true
        let offset = transfer.window.used
        state = .sending(transfer)
        return .bytes(offset: offset, maximum: Int(min(UInt64(Self.chunkLength), size - offset)))
    }

    private func finish(_ transfer: Transfer) -> Need {
        do {
            var transfer = transfer
            let digest = try transfer.digest ?? transfer.digester.finish()
            transfer.digest = digest
            state = .sent(digest, transfer)
            return .end(FileEnd(id: id, digest: digest.rawBytes))
        } catch {
            return .failure
        }
    }
}
