import MultipeerCrypto

/// How long others of the same name are waited for once somebody was found.
///
/// A responder does not repeat within a second what it has just sent to all (RFC 6762 §6), and a searcher asks again
/// after one second and then after two (§5.2). So peers that have begun shortly before may be found a second later than
/// others. A peer that is found makes it likely that more are, so the wait begins again; but nobody can prolong it for
/// ever.
struct Settling {
    struct Waits {
        /// So long nobody must have been found any more.
        var quiet: Duration = .seconds(2)
        /// The longest wait.
        var longest: Duration = .seconds(5)
        /// The wait where nobody else can be meant: the peer's other addresses come within that (§6: after 20 to 120 ms).
        var brief: Duration = .milliseconds(250)
    }

    private let waits: Waits
    private var begin: ContinuousClock.Instant?
    private var latest: ContinuousClock.Instant?
    private var seen: Set<KeyTag> = []

    init(_ waits: Waits = Waits()) { self.waits = waits }

    /// Whether the wait is over, which begins with the first call.
    /// - Parameters:
    ///   - peers: The peers nearby now.
    ///   - isCertain: Whether nobody else can be meant.
    mutating func isOver(
        _ peers: some Sequence<KeyTag>, isCertain: Bool, at now: ContinuousClock.Instant
    ) -> Bool {
        let before = seen.count
        seen.formUnion(peers)
        let begin = begin ?? now
        let latest = seen.count > before ? now : latest ?? now
        (self.begin, self.latest) = (begin, latest)
        if isCertain { return begin.advanced(by: waits.brief) <= now }
        return begin.advanced(by: waits.longest) <= now || latest.advanced(by: waits.quiet) <= now
    }
}
