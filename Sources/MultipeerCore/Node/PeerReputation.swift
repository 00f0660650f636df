import MultipeerCrypto

/// What a node holds against peers, whatever the session (R14.9-3, R14.9-4).
struct PeerReputation: Sendable {
    /// How many peers that have misbehaved are remembered: identities cost nothing.
    let mostOffenders: Int

    /// The peers that the app has blocked.
    private(set) var blocked: Set<IdentityKey> = []
    /// Peers whose links have ended as *misbehaved*.
    private(set) var offenders: Set<IdentityKey> = []
    /// The same with the branch of each, nil for a peer that is no member. The oldest comes first.
    private var order: [(peer: IdentityKey, branch: IdentityKey?)] = []

    init(mostOffenders: Int = 1_024) { self.mostOffenders = mostOffenders }

    func isBlocked(_ peer: IdentityKey) -> Bool { blocked.contains(peer) }
    func hasMisbehaved(_ peer: IdentityKey) -> Bool { offenders.contains(peer) }
    /// Whether the peer is neither dialled nor accepted.
    func isUnwanted(_ peer: IdentityKey) -> Bool { isBlocked(peer) || hasMisbehaved(peer) }

    mutating func block(_ peer: IdentityKey) { blocked.insert(peer) }
    mutating func unblock(_ peer: IdentityKey) { blocked.remove(peer) }

    /// - Parameter branch: The branch of a member (SPEC §14.4). Where there are too many, the branch with the most of them loses
    ///   its oldest: nobody has a member of another branch forgotten by making up keys that misbehave.
    mutating func misbehaved(_ peer: IdentityKey, in branch: IdentityKey?) {
        guard offenders.insert(peer).inserted else { return }
        order.append((peer, branch))
        guard order.count > mostOffenders else { return }
        var counts: [IdentityKey?: Int] = [:]
        for offence in order { counts[offence.branch, default: 0] += 1 }
        let most = counts.values.max()
        guard let index = order.firstIndex(where: { counts[$0.branch] == most }) else { return }
        offenders.remove(order.remove(at: index).peer)
    }

    /// The app asks for the peer, or lifts what is held against it.
    mutating func forgive(_ peer: IdentityKey) {
        guard offenders.remove(peer) != nil else { return }
        order.removeAll { $0.peer == peer }
    }
}
