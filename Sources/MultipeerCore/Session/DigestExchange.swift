import MultipeerCrypto
import MultipeerWire

/// How two neighbours compare their rosters over one link (SPEC §14.6).
struct DigestExchange: Sendable {
    /// How long a DIGEST is ignored after one that was answered (R14.6-4).
    static let pause: Duration = .seconds(10)

    /// Whether the local entry has gone out, and the neighbour's own one has come.
    private var hasSentOwn = false
    private var hasNeighboursOwn = false
    private var hasBegun = false
    /// DIGESTs to which a SUMMARY may still come, and SUMMARYs to which a WANT may (R14.5-4). Counts, because two can be
    /// under way.
    private var openDigests = 0
    private var openSummaries = 0
    private var answeredAt: Instant?
    private var sent = RateWindow(limit: 512)

    /// Whether the peer is a neighbour: its own entry has come on this link.
    var isNeighbour: Bool { hasNeighboursOwn }

    // MARK: What begins it

    mutating func sentOwnEntry() { hasSentOwn = true }
    mutating func tookNeighboursOwnEntry() { hasNeighboursOwn = true }

    /// Whether the comparison of the beginning is due: once, by the peer with the lesser key, after both own entries
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
    /// - Throws: `unexpected_frame` from a peer whose own entry has not come (R14.5-4).
    mutating func receive(
        _ digest: DigestFrame, roster: inout Roster, at now: Instant
    ) throws(LinkFailureCause) -> Summary? {
        guard hasNeighboursOwn else { throw .unexpected(.digest) }
        if let answeredAt, now < answeredAt.advanced(by: Self.pause) { return nil }
        guard digest.digest != roster.currentDigest() else { return nil }
        answeredAt = now
        openSummaries += 1
        return roster.summary
    }

    /// SUMMARY came. Returns what goes out: ROSTERs, then WANT (R14.6-5).
    /// - Throws: `unexpected_frame` from a peer whose own entry has not come, or if nobody asked (R14.5-4).
    mutating func receive(
        _ summary: Summary, roster: Roster, owner: IdentityKey, at now: Instant
    ) throws(LinkFailureCause) -> (rosters: [RosterFrame], want: Want?) {
        guard hasNeighboursOwn, openDigests > 0 else { throw .unexpected(.summary) }
        openDigests -= 1
        let (lacking, wanted) = roster.difference(to: summary)
        let frames = rosters(of: lacking, owner: owner, at: now)
        return (frames, wanted.isEmpty ? nil : Want(members: wanted))
    }

    /// WANT came. Returns what goes out (R14.6-6).
    /// - Throws: `unexpected_frame` from a peer whose own entry has not come, or if nobody asked (R14.5-4).
    mutating func receive(
        _ want: Want, roster: Roster, owner: IdentityKey, at now: Instant
    ) throws(LinkFailureCause) -> [RosterFrame] {
        guard hasNeighboursOwn, openSummaries > 0 else { throw .unexpected(.want) }
        openSummaries -= 1
        return rosters(of: roster.entries(wantedBy: want), owner: owner, at: now)
    }

    /// ROSTERs of as many entries as may go out now; what is left waits for a later DIGEST (R14.6-8). The owner's entry is
    /// no entry of others.
    mutating func rosters(of entries: [VerifiedEntry], owner: IdentityKey, at now: Instant) -> [RosterFrame] {
        let others = entries.count { $0.member != owner }
        var room = sent.take(others, at: now)
        let chosen = entries.filter { entry in
            guard entry.member != owner else { return true }
            room -= 1
            return room >= 0
        }
        return RosterFrame.frames(for: chosen)
    }
}
