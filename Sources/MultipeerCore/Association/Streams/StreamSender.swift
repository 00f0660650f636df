import MultipeerWire

/// One direction of a stream, for its sender (SPEC §15.6).
struct StreamSender: Sendable {
    private enum State {
        /// The app may write.
        case sending
        /// The app has ended it; STREAM_END follows the last byte.
        case finishing
        case ended
    }

    /// Below how many waiting bytes the app may write again.
    static let lowWater = 32_768

    private var state: State
    private var window: SendWindow
    private var waiting = ChunkQueue()
    /// Whether the app is to be notified when little waits.
    private var isFull = false

    /// `limit` is what the peer takes at first. If that is nothing, the direction has ended from the beginning (R15.6-8).
    init(limit: UInt64) {
        state = limit == 0 ? .ended : .sending
        window = SendWindow(limit: limit)
    }

    var hasEnded: Bool { state == .ended }
    /// Bytes that wait.
    var byteCount: Int { waiting.byteCount }
    /// Whether a byte can go out.
    var canSend: Bool { waiting.byteCount > 0 && window.room > 0 }

    /// Queues bytes. False if the direction takes none any more.
    mutating func write(_ bytes: [UInt8]) -> Bool {
        guard state == .sending else { return false }
        waiting.append(bytes)
        isFull = isFull || waiting.byteCount > Self.lowWater
        return true
    }

    /// The app ends the direction after what waits. False if it has ended already.
    mutating func finish() -> Bool {
        guard state == .sending else { return false }
        state = .finishing
        return true
    }

    /// Gives the direction up, and drops what waits. False if it has ended already.
    mutating func giveUp() -> Bool {
        guard state != .ended else { return false }
        state = .ended
        waiting.removeAll()
        return true
    }

    /// Another link continues the association.
    mutating func resume() { window.resume() }

    /// CREDIT came. It is ignored after the end, which it crossed (R13.4-4).
    mutating func raise(to limit: UInt64) throws(LinkFailureCause) {
        guard state != .ended else { return }
        try window.raise(to: limit)
    }

    /// Writes one STREAM_DATA of at most `room` bytes. Returns what is kept of it; nil if nothing fits.
    @_lifetime(output: copy output)
    mutating func write(id: UInt64, room: Int, to output: inout OutputSpan<UInt8>) -> KeptFrame? {
        guard let (chunk, offset) = waiting.first else { return nil }
        let rest = chunk.span.extracting(droppingFirst: offset)
        let allowed = rest.extracting(first: min(rest.count, window.roomInBytes))
        guard let written = PayloadFrame.appendStreamData(id: id, allowed, room: room, to: &output) else { return nil }
        window.use(UInt64(written))
        waiting.drop(written)
        return KeptFrame(.stream, chunk, at: offset, count: written, number: id)
    }

    /// STREAM_END, once all bytes before it are out; then the direction has ended.
    mutating func takeEnd(id: UInt64) -> StreamEnd? {
        guard state == .finishing, waiting.byteCount == 0 else { return nil }
        state = .ended
        return StreamEnd(id: id, size: window.used)
    }

    /// Whether the app is notified now that it may write on; once for each time that much waited.
    mutating func takeWritable() -> Bool {
        guard isFull, state == .sending, waiting.byteCount <= Self.lowWater else { return false }
        isFull = false
        return true
    }
}

/// Bytes in the pieces in which they came.
struct ChunkQueue: Sendable {
    private var chunks: [[UInt8]] = []
    private var head = 0
    private var offset = 0
    private(set) var byteCount = 0

    /// The first piece, and how much of it has gone.
    var first: (chunk: [UInt8], offset: Int)? { head < chunks.count ? (chunks[head], offset) : nil }

    mutating func append(_ chunk: [UInt8]) {
        guard !chunk.isEmpty else { return }
        chunks.append(chunk)
        byteCount += chunk.count
    }

    /// Drops bytes of the first piece.
    mutating func drop(_ count: Int) {
        offset += count
        byteCount -= count
        guard head < chunks.count, offset >= chunks[head].count else { return }
        chunks[head] = []
        head += 1
        offset = 0
        if head == chunks.count {
            removeAll()
        } else if head > 32, head * 2 > chunks.count {
            chunks.removeFirst(head)
            head = 0
        }
    }

    mutating func removeAll() { self = ChunkQueue() }
}
