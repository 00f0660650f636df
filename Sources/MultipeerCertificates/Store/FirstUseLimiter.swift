/// Limits how many peers are remembered on first use, for each address and for the process, so that a stranger with
/// throw-away keys cannot fill the store of known peers.
///
/// Addresses that the local peer connected to are free: strangers do not choose them. A quarter of what comes from
/// anywhere is for addresses from which nobody has come lately, so that a few of them with many keys keep no newcomer
/// out.
public actor FirstUseLimiter {
    /// First uses at a steady rate, and some at once.
    public struct Rate: Sendable {
        /// How many at once; at least 1.
        public let burst: Int
        /// The time after which there is room for another one.
        public let interval: Duration

        /// Creates a rate.
        public init(burst: Int, interval: Duration) {
            self.burst = max(burst, 1)
            self.interval = interval
        }
    }

    private let perAddress: Rate
    private let overall: Rate
    private let clock: @Sendable () -> Duration
    /// When the last first use has been paid for. The rates of all addresses are bounded by the overall one, and so is
    /// the number of entries that are not in the past.
    private var paid: [PeerAddress: Duration] = [:]
    private var paidOverall: Duration?

    /// Creates a limiter.
    /// - Parameters:
    ///   - perAddress: What comes from one address: at first 4, and one each ten minutes.
    ///   - overall: What comes from anywhere: at first 32, and one each five minutes, so that 10,000 places last a month.
    ///   - clock: The time since any moment, never going back. Without one, the system's.
    public init(
        perAddress: Rate = Rate(burst: 4, interval: .seconds(600)),
        overall: Rate = Rate(burst: 32, interval: .seconds(300)), clock: (@Sendable () -> Duration)? = nil
    ) {
        self.perAddress = perAddress
        self.overall = overall
        let start = ContinuousClock.now
        self.clock = clock ?? { start.duration(to: .now) }
    }

    /// Takes room for one first use. False when there is none.
    public func allows(_ origin: PeerOrigin?) -> Bool {
        if case .dialled = origin { return true }
        let now = clock()
        guard let nextOverall = Self.next(after: paidOverall, overall, now) else { return false }
        if case .accepted(let address) = origin {
            paid = paid.filter { $0.value > now }
            guard let next = Self.next(after: paid[address], perAddress, now),
                paid[address] == nil || leavesRoomForOthers(nextOverall, at: now)
            else { return false }
            paid[address] = next
        }
        paidOverall = nextOverall
        return true
    }

    /// Whether a quarter of what comes from anywhere is left.
    private func leavesRoomForOthers(_ next: Duration, at now: Duration) -> Bool {
        next - now <= overall.interval * (overall.burst - overall.burst / 4)
    }

    /// The new time until which all is paid for, or nil if it would lie too far ahead.
    private static func next(after paid: Duration?, _ rate: Rate, _ now: Duration) -> Duration? {
        let next = max(paid ?? now, now) + rate.interval
        return next - now <= rate.interval * rate.burst ? next : nil
    }
}
