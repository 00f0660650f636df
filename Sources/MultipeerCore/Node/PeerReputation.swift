import MultipeerCrypto

/// What a node holds against peers, whatever the session (R14.9-3, R14.9-4).
struct PeerReputation: Sendable {
    /// How many peers that have misbehaved are remembered: identities cost nothing.
    static let mostOffenders = 1_024

    /// The peers that the app has blocked.
    private(set) var blocked: Set<IdentityKey> = []
    /// The latest peers whose links have ended as *misbehaved*.
    private(set) var offenders: Set<IdentityKey> = []
    private var order: [IdentityKey] = []

    func isBlocked(_ peer: IdentityKey) -> Bool { blocked.contains(peer) }
    func hasMisbehaved(_ peer: IdentityKey) -> Bool { offenders.contains(peer) }
    /// Whether the peer is neither dialled nor accepted.
    func isUnwanted(_ peer: IdentityKey) -> Bool { isBlocked(peer) || hasMisbehaved(peer) }

    mutating func block(_ peer: IdentityKey) { blocked.insert(peer) }
    mutating func unblock(_ peer: IdentityKey) { blocked.remove(peer) }

    mutating func misbehaved(_ peer: IdentityKey) {
        guard offenders.insert(peer).inserted else { return }
        order.append(peer)
        if order.count > Self.mostOffenders { offenders.remove(order.removeFirst()) }
    }

    /// The app asks for the peer, or lifts what is held against it.
    mutating func forgive(_ peer: IdentityKey) {
        guard offenders.remove(peer) != nil else { return }
        order.removeAll { $0 == peer }
    }
}
