import MultipeerCrypto

/// What a node holds against peers, whatever the session (R14.9-3, R14.9-4).
struct PeerReputation: Sendable {
    /// How many peers that have misbehaved are remembered: identities cost nothing.
    static let mostOffenders = 1_024

    /// The peers that the app has blocked.
    private(set) var blocked: Set<IdentityKey> = []
    private var misbehaving = PeersByBranch(capacity: mostOffenders)

    /// Peers whose links have ended as *misbehaved*.
    var offenders: Set<IdentityKey> { misbehaving.keys }

    func isBlocked(_ peer: IdentityKey) -> Bool { blocked.contains(peer) }
    func hasMisbehaved(_ peer: IdentityKey) -> Bool { misbehaving.contains(peer) }
    /// Whether the peer is neither dialled nor accepted.
    func isUnwanted(_ peer: IdentityKey) -> Bool { isBlocked(peer) || hasMisbehaved(peer) }

    mutating func block(_ peer: IdentityKey) { blocked.insert(peer) }
    mutating func unblock(_ peer: IdentityKey) { blocked.remove(peer) }

    /// - Parameter branch: The branch of a member (SPEC §14.4); nil for a peer that has shown no chain.
    mutating func misbehaved(_ peer: IdentityKey, in branch: IdentityKey?) { misbehaving.insert(peer, of: branch) }

    /// The app asks for the peer, or lifts what is held against it.
    mutating func forgive(_ peer: IdentityKey) { misbehaving.remove(peer) }
}
