import Glibc

/// A moment of the monotonic clock by which something must have happened.
public struct Deadline: Hashable, Comparable, Sendable {
    private let nanoseconds: Int64

    /// `duration` from now.
    public static func after(_ duration: Duration) -> Deadline {
        let (seconds, attoseconds) = duration.components
        return Deadline(nanoseconds: now() + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    /// The remaining time in milliseconds, rounded up, as `poll` takes it. It is 0 when the moment has passed.
    var milliseconds: Int32 {
        let left = nanoseconds - Self.now()
        return left <= 0 ? 0 : Int32(clamping: (left + 999_999) / 1_000_000)
    }

    /// Whether the moment has passed.
    public var hasPassed: Bool { milliseconds == 0 }

    /// A later moment.
    public func later(by duration: Duration) -> Deadline {
        let (seconds, attoseconds) = duration.components
        return Deadline(nanoseconds: nanoseconds + seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
    }

    public static func < (left: Deadline, right: Deadline) -> Bool { left.nanoseconds < right.nanoseconds }

    private static func now() -> Int64 {
        var time = timespec()
        // SAFETY: writes one timespec. The monotonic clock exists on every Linux, so the status says nothing.
        _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }
}
