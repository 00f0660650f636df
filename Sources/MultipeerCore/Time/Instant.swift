/// A moment on a monotonic clock that the caller owns, in nanoseconds since a beginning of the caller's choice.
///
/// The core reads no clock: every input says when it happens.
public struct Instant: Hashable, Sendable {
    /// Nanoseconds since the clock's beginning.
    public let nanoseconds: UInt64

    /// A moment `nanoseconds` after the clock's beginning.
    public init(nanoseconds: UInt64) {
        self.nanoseconds = nanoseconds
    }

    /// The moment `duration` later; the end of time when that is beyond it. Negative durations count as none.
    public func advanced(by duration: Duration) -> Instant {
        let (seconds, attoseconds) = duration.components
        guard seconds >= 0, attoseconds >= 0 else { return self }
        let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflow else { return Instant(nanoseconds: .max) }
        let (distance, farther) = whole.addingReportingOverflow(UInt64(attoseconds) / 1_000_000_000)
        let (sum, farthest) = nanoseconds.addingReportingOverflow(distance)
        return Instant(nanoseconds: farther || farthest ? .max : sum)
    }

    /// The earlier one, where nil is never.
    package static func earlier(_ one: Instant?, _ other: Instant?) -> Instant? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }

    /// How long it is from `earlier` until this moment; zero when it is not earlier.
    public func duration(since earlier: Instant) -> Duration {
        nanoseconds > earlier.nanoseconds
            ? .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds)) : .zero
    }
}

extension Instant: Comparable {
    public static func < (left: Instant, right: Instant) -> Bool { left.nanoseconds < right.nanoseconds }
}
