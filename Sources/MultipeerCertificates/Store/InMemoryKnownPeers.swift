public import MultipeerCrypto

/// Known peers that are forgotten with the process.
public actor InMemoryKnownPeers: KnownPeersStore {
    private var peers: [DisplayName: KnownPeer] = [:]

    /// An empty store.
    public init() {}

    public func knownPeer(named name: DisplayName) async throws(KnownPeersStoreFailure) -> KnownPeer? {
        peers[name]
    }

    public func rememberIfUnknown(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> RememberOutcome {
        // No suspension between look and write: the actor makes it one step.
        if let known = peers[peer.name] { return .alreadyKnown(known) }
        peers[peer.name] = peer
        return .nowRemembered
    }

    public func forget(_ name: DisplayName) async throws(KnownPeersStoreFailure) -> Bool {
        peers.removeValue(forKey: name) != nil
    }
}
