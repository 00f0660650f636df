import MultipeerCore

/// Bounds a rate: tokens come in at a steady rate, up to a burst, and each act takes one. Pure: the time comes from outside.
struct TokenBucket {
    private let rate: Double
    private let burst: Double
    private var tokens: Double
    private var filled: Instant

    /// A full bucket. `rate` is in tokens a second, and more than 0; `burst` is at least 1.
    init(rate: Double, burst: Int, now: Instant) {
        // A rate of nothing would never accept anything; an hour a token is as slow as it gets.
        self.rate = rate.isFinite ? max(rate, 1.0 / 3_600) : .greatestFiniteMagnitude
        self.burst = Double(max(burst, 1))
        tokens = self.burst
        filled = now
    }

    /// Takes a token, or says how long until there is one.
    mutating func take(at now: Instant) -> Duration? {
        let elapsed = Double(now.duration(since: filled).nanoseconds) / 1e9
        filled = max(filled, now)
        tokens = min(burst, tokens + elapsed * rate)
        if tokens >= 1 {
            tokens -= 1
            return nil
        }
        // Rounded up, so that the token is there when the time is over.
        return .nanoseconds(Int64(((1 - tokens) / rate * 1e9).rounded(.up)) + 1)
    }
}

extension Duration {
    /// Whole nanoseconds; the longest that fits for more.
    fileprivate var nanoseconds: Int64 {
        let (whole, overflow) = components.seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return overflow ? .max : whole &+ components.attoseconds / 1_000_000_000
    }
}
