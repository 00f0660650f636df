import MultipeerCrypto
import MultipeerWire

/// How two neighbours compare their rosters over one link (SPEC §14.6).
struct DigestExchange: Sendable {
    /// How long a DIGEST is ignored after one that was answered (R14.6-4).
    static let pause: Duration = .seconds(10)

    /// Whether this side's own entry has gone out, and the neighbour's own one has come.
    private var hasSentOwn = false
    private var hasNeighboursOwn = false
    private var hasBegun = false
    /// DIGESTs to which a SUMMARY may still come, and SUMMARYs to which a WANT may.
    private var openDigests = 0
    private var openSummaries = 0
    private var answeredAt: Instant?
    private var sent = RateWindow(limit: 512)
    private var taken = RateWindow(limit: 1_024)

    /// Whether the peer is a neighbour: its own entry has come on this link.
    var isNeighbour: Bool { hasNeighboursOwn }

    // MARK: What begins it

    mutating func sentOwnEntry() { hasSentOwn = true }
    mutating func tookNeighboursOwnEntry() { hasNeighboursOwn = true }

    /// Whether the comparison of the beginning is due: once, on the side with the lesser key, behind both own entries
    /// (R14.6-2).
    mutating func beginsNow(hasLesserKey: Bool) -> Bool {
        guard hasLesserKey, hasSentOwn, hasNeighboursOwn, !hasBegun else { return false }
        hasBegun = true
        return true
    }

    /// DIGEST goes out.
    mutating func sentDigest() { openDigests += 1 }

    // MARK: Frames

    /// DIGEST came. Returns the answer, if there is one (R14.6-4).
    mutating func receive(_ digest: DigestFrame, roster: Roster, at now: Instant) -> Summary? {
        if let answeredAt, now < answeredAt.advanced(by: Self.pause) { return nil }
        guard digest.digest != roster.digest else { return nil }
        answeredAt = now
        openSummaries += 1
        return roster.summary
    }

    /// SUMMARY came. Returns what goes out: ROSTERs, then WANT (R14.6-5).
    /// - Throws: `unexpected_frame` if nobody asked (R14.5-4).
    mutating func receive(
        _ summary: Summary, roster: Roster, at now: Instant
    ) throws(LinkFailureCause) -> (rosters: [RosterFrame], want: Want?) {
        guard openDigests > 0 else { throw .unexpected(.summary) }
        openDigests -= 1
        let (lacking, wanted) = roster.difference(to: summary)
        return (rosters(of: lacking, at: now), wanted.isEmpty ? nil : Want(members: wanted))
    }

    /// WANT came. Returns what goes out (R14.6-6).
    /// - Throws: `unexpected_frame` if nobody asked (R14.5-4).
    mutating func receive(
        _ want: Want, roster: Roster, at now: Instant
    ) throws(LinkFailureCause) -> [RosterFrame] {
        guard openSummaries > 0 else { throw .unexpected(.want) }
        openSummaries -= 1
        return rosters(of: roster.entries(wantedBy: want), at: now)
    }

    /// An entry came.
    /// - Throws: `limit_exceeded` for more than 1,024 within 60 s (R14.6-8).
    mutating func tookEntry(at now: Instant) throws(LinkFailureCause) {
        guard taken.take(1, at: now) == 1 else { throw .violation(.limitExceeded) }
    }

    /// ROSTERs of as many entries as may go out now; what is left waits for a later DIGEST (R14.6-8).
    mutating func rosters(of entries: [VerifiedEntry], at now: Instant) -> [RosterFrame] {
        RosterFrame.frames(for: Array(entries.prefix(sent.take(entries.count, at: now))))
    }
}

/// How much may happen within any 60 s.
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
}
