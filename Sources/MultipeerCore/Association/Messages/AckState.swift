import MultipeerWire

/// What the local peer has processed of the peer's messages, and what of it was reported to the peer (SPEC §13.6).
struct AckState: Sendable {
    /// How many messages may wait for ACK.
    static let maximumMessages: UInt64 = 64
    /// How many bytes of messages may wait for ACK.
    static let maximumBytes = 65_536
    /// How long the first of them may wait.
    static let patience: Duration = .milliseconds(20)

    /// How many messages the app will get whatever becomes of the link.
    private(set) var processed: UInt64 = 0
    /// How many of them ACK has counted.
    private(set) var acknowledged: UInt64 = 0
    private var bytes = 0
    private var firstAt: Instant?
    private var isLate = false
    /// When to look again. It moves only when it is reached, so that a message costs no timer.
    private(set) var deadline: Instant?

    /// A whole message of `count` bytes was handed out.
    mutating func processed(_ count: Int, at now: Instant) {
        processed += 1
        bytes += count
        guard firstAt == nil else { return }
        firstAt = now
        if deadline == nil { deadline = now.advanced(by: Self.patience) }
    }

    /// Whether ACK can say something.
    var hasNews: Bool { processed > acknowledged }

    /// Whether ACK must go out, even in a record of its own.
    var isDue: Bool {
        hasNews && (isLate || processed - acknowledged >= Self.maximumMessages || bytes >= Self.maximumBytes)
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

    /// Returns ACK, if it can say something.
    mutating func takeFrame() -> Ack? {
        guard hasNews else { return nil }
        acknowledged = processed
        (bytes, firstAt, isLate) = (0, nil, false)
        return Ack(messages: processed)
    }
}
