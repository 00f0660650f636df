import MultipeerWire

/// One kind of credit for what the peer sends (SPEC §13.3). The limit that was announced to the peer is the one that is
/// judged. What the local peer means to grant is announced later, so that many small steps cost one CREDIT.
struct ReceiveWindow: Sendable {
    /// The limit that was announced to the peer.
    private(set) var limit: UInt64
    /// How much the peer has used.
    private(set) var used: UInt64
    /// The limit that will be announced to the peer; never below ``limit``.
    private(set) var wanted: UInt64
    /// How far above what the app has taken the limit is kept (SPEC §13.5).
    private(set) var window: UInt64
    /// The limit without CREDIT.
    private let first: UInt64
    /// Whether the limit is announced again, because the link that it was announced on has ended (R13.9-8).
    private var isRepeated = false

    init(limit: UInt64, used: UInt64 = 0, window: UInt64) {
        self.limit = limit
        self.used = used
        self.window = min(window, VarInt.maximum)
        wanted = limit
        first = limit
    }

    /// The peer uses so much.
    /// - Throws: `credit_exceeded` for an overdraft (R13.3-1).
    mutating func use(_ count: UInt64) throws(LinkFailureCause) {
        guard count <= limit - used else { throw .violation(.creditExceeded) }
        used += count
    }

    /// Means to grant as much. A limit that is no higher, or that no varint can say, changes nothing.
    mutating func want(_ newLimit: UInt64) {
        wanted = max(wanted, min(newLimit, VarInt.maximum))
    }

    /// The app has taken so much in all: the limit is to be the window above that, but no more than `cap` (R13.5-1).
    mutating func release(_ taken: UInt64, cap: UInt64 = VarInt.maximum) {
        want(min(taken + window, cap))
    }

    /// The app may leave more untaken.
    mutating func grow(by count: UInt64) { window = min(window + min(count, VarInt.maximum), VarInt.maximum) }

    /// Whether the peer must be notified now: there is more to grant, and less than half of the window is unused
    /// (R13.5-2).
    var isDue: Bool { isRepeated || wanted > limit && limit - used < (window + 1) / 2 }

    /// Another link continues the association: a limit that was raised is announced again.
    mutating func resume() { isRepeated = limit > first }

    /// Whether there is something to announce to the peer.
    var hasMore: Bool { wanted > limit }

    /// Returns the limit that is announced to the peer now.
    mutating func announce() -> UInt64 {
        limit = wanted
        isRepeated = false
        return limit
    }
}
