import Glibc
public import MultipeerCore

/// The clocks of the system.
public enum SystemClock {
    /// The time since the system started, without the time that it slept.
    @Sendable public static func monotonic() -> Instant {
        let time = read(CLOCK_MONOTONIC)
        return Instant(nanoseconds: UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec))
    }

    /// The time in seconds since 1970; 0 if the system does not say.
    @Sendable public static func wall() -> Int64 { Int64(read(CLOCK_REALTIME).tv_sec) }

    private static func read(_ clock: clockid_t) -> timespec {
        var time = timespec()
        // SAFETY: writes one timespec.
        guard unsafe clock_gettime(clock, &time) == 0 else { return timespec() }
        return time
    }
}
