/// How much may happen within any 60 s (SPEC §14.6).
struct RateWindow: Sendable {
    private static let length: Duration = .seconds(60)

    let limit: Int
    private var taken: [(at: Instant, count: Int)] = []
    private var total = 0

    init(limit: Int) {
        self.limit = limit
    }

    /// Takes as many of `count` as may be. Returns how many those are.
    mutating func take(_ count: Int, at now: Instant) -> Int {
        while let first = taken.first, first.at.advanced(by: Self.length) <= now {
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
        let next = first.at.advanced(by: Self.length)
        return next > now ? next : nil
    }

    /// Whether something was taken within the last 60 s.
    func isInUse(at now: Instant) -> Bool {
        taken.last.map { $0.at.advanced(by: Self.length) > now } ?? false
    }
}
