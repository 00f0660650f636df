import MultipeerCrypto

/// A bounded set of peers in which each branch (SPEC §14.4) has its share. Where there are too many, the branch with the most of them
/// loses its oldest: nobody has a member of another branch forgotten by making up keys (R14.9-7).
struct PeersByBranch: Sendable {
    let capacity: Int

    private(set) var keys: Set<IdentityKey> = []
    /// With the branch of each, nil for a peer that has shown no chain. The oldest comes first.
    private var order: [(peer: IdentityKey, branch: IdentityKey?)] = []

    init(capacity: Int) { self.capacity = capacity }

    /// The peers, the oldest first.
    var inOrder: [IdentityKey] { order.map(\.peer) }

    func contains(_ peer: IdentityKey) -> Bool { keys.contains(peer) }

    mutating func insert(_ peer: IdentityKey, of branch: IdentityKey?) {
        guard keys.insert(peer).inserted else { return }
        order.append((peer, branch))
        guard order.count > capacity else { return }
        var counts: [IdentityKey?: Int] = [:]
        for (_, branch) in order { counts[branch, default: 0] += 1 }
        let most = counts.values.max()
        guard let index = order.firstIndex(where: { counts[$0.branch] == most }) else { return }
        keys.remove(order.remove(at: index).peer)
    }

    mutating func remove(_ peer: IdentityKey) {
        guard keys.remove(peer) != nil else { return }
        order.removeAll { $0.peer == peer }
    }
}
