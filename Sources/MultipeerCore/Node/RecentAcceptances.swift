import MultipeerCrypto

/// Which peers have accepted an invitation to a new session lately: an INVITE of theirs that comes now has crossed it
/// (R8.7-6).
struct RecentAcceptances: Sendable {
    static let duration: Duration = .seconds(10)
    private var times: [IdentityKey: Instant] = [:]

    mutating func accepted(by peer: IdentityKey, at now: Instant) {
        times = times.filter { $0.value.advanced(by: Self.duration) > now }
        times[peer] = now
    }

    /// When that was, if it was lately.
    func time(of peer: IdentityKey, at now: Instant) -> Instant? { isRecent(peer, at: now) ? times[peer] : nil }

    /// Whether less than 10 s have passed.
    func isRecent(_ peer: IdentityKey, at now: Instant) -> Bool {
        times[peer].map { $0.advanced(by: Self.duration) > now } ?? false
    }
}
