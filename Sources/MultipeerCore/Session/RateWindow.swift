/// How much may happen within any 60 s (SPEC §14.6), or any other time.
struct RateWindow: Sendable {
    let limit: Int
    private let length: Duration
    private var taken: [(at: Instant, count: Int)] = []
    private var total = 0

    init(limit: Int, length: Duration = .seconds(60)) {
        self.limit = limit
        self.length = length
    }

    /// Takes as many of `count` as may be. Returns how many those are.
    mutating func take(_ count: Int, at now: Instant) -> Int {
        while let first = taken.first, first.at.advanced(by: length) <= now {
            total -= first.count
            taken.removeFirst()
        }
        let granted = min(count, limit - total)
        guard granted > 0 else { return 0 }
        total += granted
        if let last = taken.last, last.at == now {
            taken[taken.count - 1].count += granted
        } else {
            taken.append((now, granted))
        }
        return granted
    }

    /// When there is room for one again; nil if there is room at `now`.
    func nextRoom(at now: Instant) -> Instant? {
        guard total >= limit, let first = taken.first else { return nil }
        let next = first.at.advanced(by: length)
        return next > now ? next : nil
    }

    /// Whether something was taken within the last of these times.
    func isInUse(at now: Instant) -> Bool {
        taken.last.map { $0.at.advanced(by: length) > now } ?? false
    }
}
