import MultipeerWire

/// One direction of a stream, for its receiver (SPEC §15.6).
struct StreamReceiver: Sendable {
    private enum State {
        case receiving
        /// STREAM_STOP went; what still comes is judged, and dropped (R15.6-6).
        case stopping
        case ended
    }

    private var state: State
    private var window: ReceiveWindow
    private var taken: UInt64 = 0

    /// `size` is what the peer may send before the app takes anything, and how much the app may leave untaken later. With 0
    /// the direction has ended from the beginning (R15.6-8).
    init(size: UInt64) {
        state = size == 0 ? .ended : .receiving
        window = ReceiveWindow(limit: size, window: size)
    }

    var hasEnded: Bool { state == .ended }
    /// Whether the app has taken, or dropped, every byte.
    var isDrained: Bool { taken == window.used }
    /// Whether a limit is to be announced to the peer.
    var isCreditDue: Bool { state == .receiving && window.isDue }

    /// STREAM_DATA of `count` bytes came. Returns whether they are handed out.
    mutating func receive(_ count: Int) throws(LinkFailureCause) -> Bool {
        guard state != .ended else { throw .unexpected(.streamData) }
        try window.use(UInt64(count))
        if state == .stopping { taken = window.used }
        return state == .receiving
    }

    /// STREAM_END came. Returns whether the app is notified.
    mutating func end(size: UInt64) throws(LinkFailureCause) -> Bool {
        guard state != .ended else { throw .unexpected(.streamEnd) }
        guard size == window.used else { throw .malformed(WireError(.valueOutOfRange, in: .streamSize)) }
        defer { state = .ended }
        return state == .receiving
    }

    /// STREAM_RESET came. Returns whether the app is notified. What it has not taken is dropped.
    mutating func reset() throws(LinkFailureCause) -> Bool {
        guard state != .ended else { throw .unexpected(.streamReset) }
        defer { state = .ended }
        taken = window.used
        return state == .receiving
    }

    /// The app stops the direction, and drops what it has not taken. False if it has ended, or was stopped before.
    mutating func stop() -> Bool {
        guard state == .receiving else { return false }
        state = .stopping
        taken = window.used
        return true
    }

    /// Another link continues the association.
    mutating func resume() { window.resume() }

    /// The app has taken `count` bytes.
    mutating func releaseCredit(_ count: Int) {
        taken += min(UInt64(clamping: count), window.used - taken)
        if state == .receiving { window.release(taken) }
    }

    /// The app may leave more untaken.
    mutating func grow(by count: UInt64) {
        window.grow(by: count)
        if state == .receiving { window.release(taken) }
    }

    /// The limit that is announced to the peer now.
    mutating func announce() -> UInt64 { window.announce() }
}

/// A live stream: both directions.
final class StreamItem {
    let isOwn: Bool
    var sender: StreamSender
    var receiver: StreamReceiver
    /// Whether it is in the ring of what waits to send.
    var isInRing = false
    /// Whether CREDIT waits to be built.
    var isCreditQueued = false
    /// Whether the app has taken the end of the peer's direction.
    var hasTakenEnd = false
    /// Whether more memory was asked for.
    var hasClaimed = false

    init(isOwn: Bool, sender: StreamSender, receiver: StreamReceiver) {
        self.isOwn = isOwn
        self.sender = sender
        self.receiver = receiver
    }

    /// Whether both directions have ended: then the number has.
    var hasEnded: Bool { sender.hasEnded && receiver.hasEnded }
    /// Whether the app has nothing more to take.
    var isDrained: Bool { receiver.isDrained && hasTakenEnd }
}
