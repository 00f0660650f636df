import MultipeerWire

/// One kind of credit for what the local peer sends (SPEC §13.3).
struct SendWindow: Sendable {
    /// How much may be used in all since the link was open.
    private(set) var limit: UInt64
    /// How much has been used.
    private(set) var used: UInt64
    /// Whether the next CREDIT may repeat the limit: it is the first one on a resumed link (R13.4-2).
    private var mayRepeat = false

    init(limit: UInt64, used: UInt64 = 0) {
        self.limit = limit
        self.used = used
    }

    /// How much may still be used.
    var room: UInt64 { limit > used ? limit - used : 0 }

    /// The same, as a count of bytes.
    var roomInBytes: Int { Int(clamping: room) }

    /// Uses so much, of which there must be room.
    mutating func use(_ count: UInt64) {
        used += min(count, room)
    }

    /// Another link continues the association.
    mutating func resume() { mayRepeat = true }

    /// What was used counts up to this place again.
    mutating func rewind(to place: UInt64) { used = min(used, place) }

    /// The peer raises the limit.
    /// - Throws: `malformed` unless that raises it (R13.4-2).
    mutating func raise(to newLimit: UInt64) throws(LinkFailureCause) {
        guard newLimit > limit || mayRepeat && newLimit == limit else {
            throw .malformed(WireError(.valueOutOfRange, in: .creditLimit))
        }
        limit = newLimit
        mayRepeat = false
    }
}
