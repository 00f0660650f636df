package import MultipeerCrypto
import MultipeerWire

/// Which entries stay where a roster has no room for all of them (R14.4-3).
///
/// Entries of one branch take turns with those of the others, so that a member that admits many competes with those
/// that it has admitted. What stays depends on the entries alone, and not on what came first.
enum RosterOrder {
    /// The entries that stay, and those that give way.
    /// - Parameter first: Whether those that are present stay before those that have left, or the other way about
    ///   (R14.4-4).
    static func divide(
        _ entries: some Collection<VerifiedEntry>, capacity: Int, first: RosterEntry.Presence = .present
    ) -> (kept: [VerifiedEntry], dropped: [VerifiedEntry]) {
        guard entries.count > capacity else { return (Array(entries), []) }
        let ordered = placed(entries).sorted { $0.precedes($1, first: first) }.map(\.entry)
        return (Array(ordered.prefix(capacity)), Array(ordered.dropFirst(capacity)))
    }

    /// An entry with its place among those of its branch.
    private struct Placed {
        let entry: VerifiedEntry
        /// From 1.
        let turn: Int

        func precedes(_ other: Placed, first: RosterEntry.Presence) -> Bool {
            let (one, two) = (entry.entry.content.presence, other.entry.entry.content.presence)
            if one != two { return one == first }
            if turn != other.turn { return turn < other.turn }
            return entry.precedes(other.entry)
        }
    }

    private static func placed(_ entries: some Collection<VerifiedEntry>) -> [Placed] {
        var branches: [IdentityKey: [VerifiedEntry]] = [:]
        for entry in entries { branches[entry.branch, default: []].append(entry) }
        return branches.values.flatMap { branch in
            branch.sorted { $0.precedes($1) }.enumerated().map { Placed(entry: $0.element, turn: $0.offset + 1) }
        }
    }
}

extension [Admission] {
    /// The branch of the member whose valid chain this is.
    func branch(of member: IdentityKey) -> IdentityKey {
        guard let admission = dropLast().last else { return member }
        return (try? IdentityKey(rawBytes: admission.admitter)) ?? member
    }
}

extension VerifiedEntry {
    /// Whether its member says that it takes part.
    package var isPresent: Bool { entry.content.presence == .present }

    /// The member that the founder admitted in the chain of this member: the member itself where the chain is shorter
    /// than two. The founder is a branch of its own (SPEC §14.4).
    package var branch: IdentityKey {
        entry.content.chain.branch(of: member)
    }

    /// The order within a branch: R14.4-3 without the turn.
    fileprivate func precedes(_ other: VerifiedEntry) -> Bool {
        let (one, two) = (entry.content, other.entry.content)
        if one.presence != two.presence { return one.presence == .present }
        if one.chain.count != two.chain.count { return one.chain.count < two.chain.count }
        if one.instance != two.instance { return one.instance > two.instance }
        return member < other.member
    }
}
