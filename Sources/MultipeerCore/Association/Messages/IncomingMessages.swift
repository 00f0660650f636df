import MultipeerWire

/// The messages that the peer sends: puts them together, judges their credit, and grants more (SPEC §15.1, §13.5).
///
/// The window of 262,144 bytes beyond what the app has taken is the peer's by right. An app that takes messages fast can have a
/// wider one. What goes beyond the window, for a message that does not fit, is memory of a pool: `reserved` says how much this
/// link has of it.
struct IncomingMessages: Sendable {
    /// What a peer may use beyond what the app has taken (SPEC §13.5).
    static let base = OutgoingMessages.firstLimit
    /// The most that a message which has reserved memory is granted at a time (R13.5-5).
    static let longStep: UInt64 = 1_048_576
    /// How long the peer may take to use that.
    static let patience: Duration = .seconds(60)
    /// How long it is until a stalled message is looked at again: others may wait for its memory by then.
    static let pause: Duration = .seconds(5)

    private struct Partial {
        let total: Int
        /// What the messages will have used once it is whole.
        let end: UInt64
        var bytes: [UInt8] = []
    }

    /// What the app has to decide about memory.
    enum Memory: Equatable {
        case nothing
        /// The message lacks N bytes of credit. Each part of them helps.
        case wanted(UInt64)
    }

    /// The longest message that the local peer takes.
    let maximum: UInt64
    private var window: ReceiveWindow
    private var partial: Partial?
    /// What the messages have used that the app has taken.
    private var taken: UInt64 = 0
    /// Bytes of the pool that this link has.
    private(set) var reserved: UInt64 = 0
    private var awaitsMemory = false
    /// Whether a long message was granted its next step, and the peer was not notified.
    private var isStepDue = false
    /// When a long message that was granted credit is stalled.
    private(set) var deadline: Instant?

    /// - Parameter width: How much the peer may use beyond what the app has taken, once that has taken something.
    init(maximum: UInt64, window width: UInt64 = base) {
        self.maximum = maximum
        window = ReceiveWindow(limit: Self.base, window: max(width, Self.base))
    }

    /// Whether a message has begun and not ended.
    var isPartial: Bool { partial != nil }
    /// How many bytes there is memory for.
    var capacity: Int { partial?.bytes.capacity ?? 0 }
    /// Whether a limit is to be announced to the peer.
    var isCreditDue: Bool { window.isDue || isStepDue }
    /// Whether a limit could be announced to the peer.
    var hasCredit: Bool { window.hasMore }

    // MARK: Frames

    /// Takes MESSAGE. Returns the message if that is all of it.
    mutating func begin(_ payload: Span<UInt8>) throws(LinkFailureCause) -> [UInt8]? {
        let frame: MessageFrame
        do {
            frame = try MessageFrame(payload: payload)
        } catch {
            // Fields in their order (R18-1): a message that is too long is that, whatever its data.
            guard try announcedTotal(payload) <= maximum else { throw .violation(.limitExceeded) }
            throw LinkFailureCause(error)
        }
        guard frame.total <= maximum else { throw .violation(.limitExceeded) }
        // What needs other frames to be judged comes after all fields, and credit after that (R18-1).
        guard partial == nil else { throw .unexpected(.message) }
        try window.use(OutgoingMessages.fixedCost + UInt64(frame.data.count))
        if UInt64(frame.data.count) == frame.total { return [UInt8](copying: frame.data) }
        let rest = frame.total - UInt64(frame.data.count)
        partial = Partial(total: Int(frame.total), end: window.used + rest)
        append(frame.data)
        return nil
    }

    private func announcedTotal(_ payload: Span<UInt8>) throws(LinkFailureCause) -> UInt64 {
        do {
            return try MessageFrame.total(payload: payload)
        } catch {
            throw LinkFailureCause(error)
        }
    }

    /// Takes MESSAGE_PART. Returns the message if that was the rest.
    mutating func `continue`(_ data: Span<UInt8>) throws(LinkFailureCause) -> [UInt8]? {
        guard !data.isEmpty else { throw .malformed(WireError(.lengthOutOfRange, in: .messageData)) }
        // The part is not copied out, lest its bytes are shared while they grow.
        guard let total = partial?.total, let count = partial?.bytes.count else { throw .unexpected(.messagePart) }
        guard data.count <= total - count else {
            throw .malformed(WireError(.lengthOutOfRange, in: .messageData))
        }
        try window.use(UInt64(data.count))
        append(data)
        return takeWhole()
    }

    private mutating func takeWhole() -> [UInt8]? {
        guard let partial, partial.bytes.count == partial.total else { return nil }
        self.partial = nil
        deadline = nil
        return partial.bytes
    }

    /// Grows by what has arrived, and never beyond the message (R15.1-4).
    ///
    /// The memory of a long message is new each time, and to provide its pages is most of what such a message costs the
    /// system. So it grows fourfold, and to the whole message once an eighth of it is there: a last step that falls a few
    /// bytes short would copy nearly all of it.
    private mutating func append(_ data: Span<UInt8>) {
        // Optional chaining changes the array where it is.
        guard let total = partial?.total, let count = partial?.bytes.count, let capacity = partial?.bytes.capacity
        else { return }
        let needed = count + data.count
        if capacity < needed { partial?.bytes.reserveCapacity(total / 8 <= needed ? total : 4 * needed) }
        partial?.bytes.append(copying: data)
    }

    // MARK: Credit

    /// Another link continues the association.
    mutating func resume() { window.resume() }

    /// The app has taken messages that used so much. It cannot take more than came.
    mutating func releaseCredit(_ credit: UInt64) {
        taken += min(credit, window.used - taken)
        window.release(taken)
    }

    /// The peer may use so much more beyond what the app has taken.
    mutating func widen(by count: UInt64) {
        window.grow(by: count)
        window.release(taken)
    }

    /// Grants what the unfinished message needs and may have, and says what it lacks. Call it after each change.
    mutating func grant(at now: Instant) -> Memory {
        guard let partial, partial.end > window.wanted else { return .nothing }
        let allowed = min(partial.end, taken + window.window + reserved)
        // In steps: the next one when half of the last is used.
        if allowed > window.wanted, window.wanted - window.used <= Self.longStep / 2 {
            window.want(min(allowed, window.wanted + Self.longStep))
            isStepDue = true
            deadline = now.advanced(by: Self.patience)
        }
        // Memory is asked for again when little of it is left: a peer that announces much and sends little holds little (R13.5-5).
        guard allowed < partial.end, allowed - window.used <= Self.longStep, !awaitsMemory else { return .nothing }
        awaitsMemory = true
        return .wanted(partial.end - allowed)
    }

    /// A pool has given memory that was wanted.
    mutating func receive(memory count: UInt64) {
        awaitsMemory = false
        reserved += count
    }

    /// Returns what the pool gets back: what the limit does not need any more.
    mutating func releaseMemory() -> UInt64 {
        guard reserved > 0, partial == nil, !awaitsMemory else { return 0 }
        let byRight = taken + window.window
        let needed = window.wanted > byRight ? window.wanted - byRight : 0
        guard reserved > needed else { return 0 }
        defer { reserved = needed }
        return reserved - needed
    }

    /// Whether the peer has not used in time what it was granted (R13.5-5). It is the app that knows whether others wait.
    mutating func isStalled(at now: Instant) -> Bool {
        guard let deadline, now >= deadline else { return false }
        let isStalled = partial != nil && window.wanted > window.used
        self.deadline = isStalled ? now.advanced(by: Self.pause) : nil
        return isStalled
    }

    /// Returns CREDIT with the newest limit.
    mutating func takeCredit() -> Credit {
        isStepDue = false
        return Credit(kind: .messages, limit: window.announce())
    }
}
