import MultipeerCore

/// A rate limiter. Tokens arrive at a steady rate, up to a burst, and each action takes one. It is pure: the time comes
/// from outside.
struct TokenBucket {
    private let rate: Double
    private let burst: Double
    private var tokens: Double
    private var filled: Instant

    /// Creates a full bucket. `rate` is in tokens a second and greater than 0; `burst` is at least 1.
    init(rate: Double, burst: Int, now: Instant) {
        // A rate of 0 would never accept anything. The slowest rate is a token an hour.
        self.rate = rate.isFinite ? max(rate, 1.0 / 3_600) : .greatestFiniteMagnitude
        self.burst = Double(max(burst, 1))
        tokens = self.burst
        filled = now
    }

    /// Takes a token. If there is none, returns the time until there is one.
    mutating func take(at now: Instant) -> Duration? {
        let elapsed = Double(now.duration(since: filled).nanoseconds) / 1e9
        filled = max(filled, now)
        tokens = min(burst, tokens + elapsed * rate)
        if tokens >= 1 {
            tokens -= 1
            return nil
        }
        // This is rounded up, so that the token has arrived when the time is over.
        return .nanoseconds(Int64(((1 - tokens) / rate * 1e9).rounded(.up)) + 1)
    }
}

extension Duration {
    /// The duration in whole nanoseconds, or the longest that fits.
    fileprivate var nanoseconds: Int64 {
        let (whole, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ components.attoseconds / 1_000_000_000
    }
}
