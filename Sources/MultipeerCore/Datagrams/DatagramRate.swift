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
    /// A message in so long a time always goes, if that is a round trip at least: as many loads no network (RFC 8085, §3.1.2).
    static let leastPause: Duration = .milliseconds(10)
    /// How often the timer fires without a report before the port is not proved any more, and before the path rests.
    private static let doubtfulFirings = 3
    private static let mostFirings = 6

    private(set) var window = Self.first
    private var inFlight: [InFlight] = []
    /// Whether the window has been full since it last changed.
    private var wasFull = false
    private var changedAt: Instant?
    private var lastMessage: Instant?
    private(set) var roundTrip: Duration
    private var timerStart: Instant
    private var firings = 0
    /// The port that was proved last, and how often the path had had another one by then.
    private var proved: (port: UInt16, moves: Int)?
    /// The last report that was taken.
    private var last: DatagramReport?
    private var worstLoss: UInt64 = 0

    init(at now: Instant) {
        roundTrip = .milliseconds(1)
        timerStart = now
    }

    /// A port is proved, and none or another one was (R26.5-4).
    mutating func restart(roundTrip: Duration, port: UInt16, moves: Int) {
        self.roundTrip = max(roundTrip, .milliseconds(1))
        let before = proved
        proved = (port, moves)
        guard let before else { return }
        if before.moves != moves { firings = 0 }
        guard before.port != port else { return }
        (window, wasFull, inFlight, changedAt) = (Self.first, false, [], nil)
    }

    /// How many messages may go now (R26.7-3).
    func room(at now: Instant) -> Int {
        max(window(at: now) - inFlight.count, hasPaused(at: now) ? 1 : 0)
    }

    private func hasPaused(at now: Instant) -> Bool {
        lastMessage.map { $0.advanced(by: max(roundTrip, Self.leastPause)) <= now } ?? true
    }

    private func window(at now: Instant) -> Int {
        guard let lastMessage, lastMessage.advanced(by: .seconds(1)) <= now else { return window }
        return min(window, Self.first)
    }

    /// Whether another message may go.
    mutating func mayGo(at now: Instant) -> Bool {
        window = window(at: now)
        return room(at: now) > 0
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
        (last, firings, window) = (report, 0, window(at: now))
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
        wasFull = inFlight.count >= window
    }

    // MARK: The timer

    /// When the timer fires; nil while nothing is in flight.
    var deadline: Instant? {
        guard !inFlight.isEmpty else { return nil }
        let duration = max(roundTrip * 3, Self.leastTimer) * (1 << firings)
        return timerStart.advanced(by: min(duration, Self.mostTimer))
    }

    /// What becomes of a path of which no report comes.
    enum Silence {
        case asks, isDoubtful, rests
    }

    /// The timer has fired (R26.7-4).
    mutating func fire() -> Silence {
        inFlight = []
        (window, wasFull) = (Self.least, false)
        firings += 1
        guard firings >= Self.doubtfulFirings else { return .asks }
        guard firings >= Self.mostFirings else { return .isDoubtful }
        firings = 0
        return .rests
    }
}
