import FuzzSupport

/// One kind of credit, for what the peer sends (SPEC §13.3, §13.5). The limit is the one that was seen on the wire.
struct ModelWindow {
    /// How far above ``released`` the limit is to be kept.
    let window: UInt64
    /// Above which no limit is needed.
    var cap: UInt64 = 1 << 62 - 1
    var limit: UInt64
    var used: UInt64 = 0
    var released: UInt64 = 0
    /// Since when CREDIT has been due.
    private var dueSince: UInt64?

    init(window: UInt64, limit: UInt64? = nil) {
        self.window = window
        self.limit = limit ?? window
    }

    /// R13.3-1.
    mutating func use(_ count: UInt64) throws(ModelFault) {
        guard count <= limit - used else { throw .creditExceeded }
        used += count
    }

    /// The app takes so much, or drops it. It cannot take more than came.
    mutating func release(_ count: UInt64) { released += min(count, used - released) }

    /// R13.4-2, for what the local peer sends.
    mutating func raise(to newLimit: UInt64, _ kind: String) throws(OracleFailure) {
        try require(newLimit > limit, "CREDIT of \(kind) does not raise \(limit): \(newLimit)")
        limit = newLimit
    }

    /// R13.5-1: the limit falls short, and less than half of the window is unused (R13.5-2).
    private var isDue: Bool {
        limit < min(released + window, cap) && 2 * (limit - used) < window
    }

    /// R13.5-2: a receiver does not wait longer than 20 ms.
    mutating func settle(_ kind: String, at now: UInt64) throws(OracleFailure) {
        guard isDue else {
            dueSince = nil
            return
        }
        let since = dueSince ?? now
        dueSince = since
        try require(
            now < since + 20_000_000, "CREDIT of \(kind) is due: limit \(limit), used \(used), released \(released)")
    }
}

/// One kind of credit, for what the honest peer sends.
struct ModelAllowance {
    var limit: UInt64
    var used: UInt64 = 0
    var room: UInt64 { limit > used ? limit - used : 0 }

    /// R13.4-2.
    mutating func raise(to newLimit: UInt64) throws(ModelFault) {
        guard newLimit > limit else { throw .malformed }
        limit = newLimit
    }

    /// R13.3-1.
    mutating func spend(_ count: UInt64, _ kind: String) throws(OracleFailure) {
        try require(count <= room, "an overdraft of \(kind): \(count) with room for \(room)")
        used += count
    }
}
