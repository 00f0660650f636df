import MultipeerWire

/// What the local peer has processed of the peer's counted frames, and what of it was reported to the peer (SPEC §13.6).
struct AckState: Sendable {
    /// How many frames may wait for ACK.
    static let maximumFrames: UInt64 = 64
    /// How many bytes of their payloads may wait for ACK.
    static let maximumBytes = 65_536
    /// How long the first of them may wait.
    static let patience: Duration = .milliseconds(20)

    /// How many counted frames are dealt with, whatever becomes of the link.
    private(set) var processed: UInt64 = 0
    /// How many of them ACK has counted.
    private(set) var acknowledged: UInt64 = 0
    /// Whether the app takes no messages any more, and one has come: no later frame counts (SPEC §16.4).
    private(set) var isOver = false
    private var bytes = 0
    private var firstAt: Instant?
    private var isLate = false
    /// When to look again. It moves only when it is reached, so that a frame costs no timer.
    private(set) var deadline: Instant?

    /// A counted frame with a payload of `count` bytes has been acted on, ignored or dropped.
    mutating func processed(_ count: Int, at now: Instant) {
        guard !isOver else { return }
        processed += 1
        bytes += count
        guard firstAt == nil else { return }
        firstAt = now
        if deadline == nil { deadline = now.advanced(by: Self.patience) }
    }

    /// The app does not get a message that is whole. ACK is one number, so it can count no frame after the last one of that.
    mutating func dropped() { isOver = true }

    /// Whether ACK can say something.
    var hasNews: Bool { processed > acknowledged }

    /// Whether ACK must go out, even in a record of its own.
    var isDue: Bool {
        hasNews && (isLate || processed - acknowledged >= Self.maximumFrames || bytes >= Self.maximumBytes)
    }

    /// The deadline has come.
    mutating func timeout(at now: Instant) {
        guard let deadline, now >= deadline else { return }
        guard let firstAt else {
            self.deadline = nil
            return
        }
        let dueAt = firstAt.advanced(by: Self.patience)
        isLate = now >= dueAt
        self.deadline = isLate ? nil : dueAt
    }

    /// RESUME or RESUMED has said how much is processed (R13.6-2).
    mutating func resume() {
        acknowledged = processed
        (bytes, firstAt, isLate) = (0, nil, false)
    }

    /// Returns ACK, if it can say something.
    mutating func takeFrame() -> Ack? {
        guard hasNews else { return nil }
        acknowledged = processed
        (bytes, firstAt, isLate) = (0, nil, false)
        return Ack(count: processed)
    }
}
