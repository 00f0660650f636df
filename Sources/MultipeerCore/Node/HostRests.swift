import MultipeerCrypto

/// Hosts at which nobody of a branch was found are left alone for longer and longer (R14.8-8). The members of a branch
/// say who belongs to it, so that a member of it with many keys could otherwise have one host tried again for each of
/// them.
struct HostRests: Sendable {
    /// How many attempts there are before the first rest.
    static let freeAttempts = 8
    static let firstRest: Duration = .seconds(60)
    static let longestRest: Duration = .seconds(3_600)
    /// How many are remembered at most: more than can be tried within an hour of rest and the one after it (R14.8-5).
    static let most = 32_768

    /// A host, for the members of one branch.
    struct Site: Hashable, Sendable {
        let host: Host
        let branch: IdentityKey
    }

    private struct Record {
        var attempts = 0
        /// When the host may be tried again.
        var next: Instant
    }

    private var records: [Site: Record] = [:]

    var count: Int { records.count }

    /// When the host may be tried; nil if it may be tried at once.
    func next(_ site: Site) -> Instant? { records[site]?.next }

    /// An attempt begins. It counts as one that has failed until ``reached(_:)``: what becomes of it must not show in what is tried next.
    mutating func begin(_ site: Site, at now: Instant) {
        var record = records[site] ?? Record(next: now)
        if now >= record.next.advanced(by: Self.longestRest) { record.attempts = 0 }
        record.attempts += 1
        record.next = now.advanced(by: Self.rest(behind: record.attempts))
        records[site] = record
        if records.count > Self.most { prune(at: now) }
    }

    /// A member of the branch was there, or the local app asks for one.
    mutating func reached(_ site: Site) { records[site] = nil }

    private static func rest(behind attempts: Int) -> Duration {
        guard attempts >= freeAttempts else { return .zero }
        return min(firstRest * (1 << min(attempts - freeAttempts, 6)), longestRest)
    }

    private mutating func prune(at now: Instant) {
        records = records.filter { now < $0.value.next.advanced(by: Self.longestRest) }
    }
}
