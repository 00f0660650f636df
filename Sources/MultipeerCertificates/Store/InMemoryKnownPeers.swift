public import MultipeerCrypto

/// Known peers that are forgotten with the process. There is room for ``KnownPeersIndex/maximumPeers``.
public actor InMemoryKnownPeers: KnownPeersStore {
    private var index = KnownPeersIndex()

    /// An empty store.
    public init() {}

    /// All peers that are remembered.
    public func all() -> [KnownPeer] { index.peers }

    public func recognise(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> PeerRecognition {
        index.recognise(peer)
    }

    public func namesakes(of peer: KnownPeer) async throws(KnownPeersStoreFailure) -> [KnownPeer] {
        index.namesakes(of: peer)
    }

    public func rememberIfUnknown(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> RememberOutcome {
        // No suspension between look and write: the actor makes it one step.
        switch index.recognise(peer) {
        case .known(let known): return .alreadyKnown(known)
        case .doubtful(let doubt): return .doubtful(doubt)
        case .unknown:
            guard index.peers.count < KnownPeersIndex.maximumPeers else { throw .full }
            index.append(peer)
            return .nowRemembered
        }
    }

    public func remember(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) {
        let others = index.peers.filter { $0.key != peer.key }
        guard others.count < KnownPeersIndex.maximumPeers else { throw .full }
        index = KnownPeersIndex(others + [peer])
    }

    public func remember(
        _ peer: KnownPeer, verifiedBy verification: KeyVerification
    ) async throws(KnownPeersStoreFailure) {
        let peers = index.verifying(peer, by: verification)
        guard peers.count <= KnownPeersIndex.maximumPeers else { throw .full }
        index = KnownPeersIndex(peers)
    }

    public func forget(_ name: DisplayName) async throws(KnownPeersStoreFailure) -> Bool {
        let kept = index.peers.filter { !$0.names.contains(name) }
        defer { index = KnownPeersIndex(kept) }
        return kept.count < index.peers.count
    }
}
