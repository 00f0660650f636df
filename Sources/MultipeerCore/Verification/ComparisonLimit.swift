/// How many exchanges of short strings the local peer takes part in: each that nobody confirmed was a chance for an
/// attacker between the two (SPEC §25.3).
struct ComparisonLimit: Sendable {
    /// How many within an hour, with all peers together, those that were confirmed not counted.
    static let most = 10
    private static let length: Duration = .seconds(3_600)
    private var begun: [(link: LinkNumber, at: Instant)] = []

    /// Whether there may be another one.
    mutating func mayBegin(at now: Instant) -> Bool {
        begun.removeAll { $0.at.advanced(by: Self.length) <= now }
        return begun.count < Self.most
    }

    /// The local person wants to compare.
    mutating func begin(on link: LinkNumber, at now: Instant) { begun.append((link, now)) }

    /// Its person has confirmed that both strings are the same.
    mutating func confirm(_ link: LinkNumber) { begun.removeAll { $0.link == link } }
}
