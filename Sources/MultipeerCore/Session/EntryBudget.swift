import MultipeerCrypto

/// How many entries are judged in a session (R14.6-8). A link costs nothing, and neither does an identity: what is
/// judged of the members of one branch, which can be as many as one of them likes, has a bound of its own.
struct EntryBudget: Sendable {
    /// How many of one neighbour within 60 s.
    static let ofNeighbour = 1_024
    /// How many of all neighbours of a branch, their own entries apart.
    static let ofBranch = 4_096
    /// How many in all.
    static let ofSession = 8_192
    /// Of how many neighbours and branches there is a count before old ones are looked for.
    private static let mostCounts = 1_024

    private var neighbours: [IdentityKey: RateWindow] = [:]
    /// Those of peers without an entry are one branch, which has no name.
    private var branches: [IdentityKey?: RateWindow] = [:]
    private var session = RateWindow(limit: ofSession)

    /// An entry has come. Returns whether it may be judged; if not, it is dropped.
    mutating func take(
        from neighbour: IdentityKey, of branch: IdentityKey?, isOwn: Bool, at now: Instant
    ) -> Bool {
        prune(at: now)
        var ofNeighbour = neighbours[neighbour] ?? RateWindow(limit: Self.ofNeighbour)
        var ofBranch = branches[branch] ?? RateWindow(limit: Self.ofBranch)
        guard ofNeighbour.nextRoom(at: now) == nil, session.nextRoom(at: now) == nil,
            isOwn || ofBranch.nextRoom(at: now) == nil
        else { return false }
        _ = ofNeighbour.take(1, at: now)
        neighbours[neighbour] = ofNeighbour
        if !isOwn {
            _ = ofBranch.take(1, at: now)
            branches[branch] = ofBranch
        }
        _ = session.take(1, at: now)
        return true
    }

    private mutating func prune(at now: Instant) {
        if neighbours.count >= Self.mostCounts { neighbours = neighbours.filter { $0.value.isInUse(at: now) } }
        if branches.count >= Self.mostCounts { branches = branches.filter { $0.value.isInUse(at: now) } }
    }
}
