import MultipeerWire

/// How many messages may be in flight on a path (SPEC §26.7).
struct DatagramRate {
    private struct InFlight {
        let counter: UInt64
        let went: Instant
    }

    private static let first = 10
    private static let least = 2
    private static let most = 256
    private static let leastTimer: Duration = .milliseconds(500)
    private static let mostTimer: Duration = .seconds(4)
    /// How often the timer fires without a report before the path rests.
    private static let mostFirings = 3

    private(set) var window = Self.first
    private var inFlight: [InFlight] = []
    /// Whether the window has been full since it last changed.
    private var wasFull = false
    private var changedAt: Instant?
    private var lastMessage: Instant?
    private(set) var roundTrip: Duration
    private var timerStart: Instant
    private var firings = 0
    /// The last report that was taken.
    private var last: DatagramReport?
    private var worstLoss: UInt64 = 0

    init(roundTrip: Duration, at now: Instant) {
        self.roundTrip = max(roundTrip, .milliseconds(1))
        timerStart = now
    }

    /// The same for another port. What was reported before says nothing of it, but later reports count on.
    func restarted(roundTrip: Duration, at now: Instant) -> DatagramRate {
        var other = DatagramRate(roundTrip: roundTrip, at: now)
        (other.last, other.worstLoss) = (last, worstLoss)
        return other
    }

    /// Whether another message may go (R26.7-3).
    mutating func mayGo(at now: Instant) -> Bool {
        if let lastMessage, lastMessage.advanced(by: .seconds(1)) <= now { window = min(window, Self.first) }
        if inFlight.count >= window { wasFull = true }
        return inFlight.count < window
    }

    /// A message goes with this counter.
    mutating func note(_ counter: UInt64, at now: Instant) {
        if inFlight.isEmpty { timerStart = now }
        inFlight.append(InFlight(counter: counter, went: now))
        lastMessage = now
        if inFlight.count >= window { wasFull = true }
    }

    /// A report has come. Returns whether it counts (R26.7-2).
    mutating func receive(_ report: DatagramReport, next counter: UInt64, at now: Instant) -> Bool {
        guard report.greatest < counter, report.received > 0, report.received <= report.greatest + 1 else {
            return false
        }
        if let last { guard report.greatest > last.greatest, report.received >= last.received else { return false } }
        last = report
        firings = 0
        measure(report, at: now)
        inFlight.removeAll { $0.counter <= report.greatest }
        timerStart = now
        let loss = report.greatest + 1 - report.received
        if loss > worstLoss {
            worstLoss = loss
            change(to: max(window / 2, Self.least), at: now)
        } else if wasFull, window < Self.most {
            change(to: window + 1, at: now)
        }
        return true
    }

    private mutating func measure(_ report: DatagramReport, at now: Instant) {
        guard report.delay < .max, let packet = inFlight.first(where: { $0.counter == report.greatest }) else { return }
        let sample = now.duration(since: packet.went) - .microseconds(Int64(report.delay))
        roundTrip = max(roundTrip * 7 / 8 + max(sample, .zero) / 8, .milliseconds(1))
    }

    private mutating func change(to window: Int, at now: Instant) {
        if let changedAt, now < changedAt.advanced(by: roundTrip) { return }
        self.window = window
        changedAt = now
        wasFull = false
    }

    // MARK: The timer

    /// When the timer fires; nil while nothing is in flight.
    var deadline: Instant? {
        guard !inFlight.isEmpty else { return nil }
        let duration = max(roundTrip * 3, Self.leastTimer) * (1 << min(firings, Self.mostFirings))
        return timerStart.advanced(by: min(duration, Self.mostTimer))
    }

    /// The timer has fired. Returns whether the path is to rest (R26.7-4).
    mutating func fire(at now: Instant) -> Bool {
        inFlight = []
        (window, wasFull) = (Self.least, false)
        firings += 1
        return firings == Self.mostFirings
    }
}
