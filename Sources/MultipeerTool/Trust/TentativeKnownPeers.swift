import MultipeerCertificates
import MultipeerCrypto
import MultipeerStorage

/// Known peers, of which strangers become some only once the person has accepted something of theirs: to connect is no reason to be
/// remembered.
actor TentativeKnownPeers: KnownPeersStore {
    /// How many strangers may be connected without being remembered.
    static let most = 256

    private let store: any KnownPeersStore
    private var strangers: [IdentityKey: KnownPeer] = [:]

    init(_ store: any KnownPeersStore) { self.store = store }

    /// Whether the peer is remembered.
    func isKnown(_ peer: PeerID) async -> Bool {
        let shown = KnownPeer(name: peer.label, key: peer.key, leafFingerprint: nil)
        return if case .known = try? await store.recognise(shown) { true } else { false }
    }

    /// The other keys that are remembered under the peer's name, or one that looks like it.
    func namesakes(of peer: PeerID) async -> [KnownPeer] {
        let shown = KnownPeer(name: peer.label, key: peer.key, leafFingerprint: nil)
        return (try? await store.namesakes(of: shown)) ?? []
    }

    /// The person has accepted something of a stranger, which is remembered from now on.
    func confirm(_ key: IdentityKey) async throws(KnownPeersStoreFailure) {
        guard let stranger = strangers.removeValue(forKey: key) else { return }
        _ = try await store.rememberIfUnknown(stranger)
    }

    // MARK: The store

    func recognise(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> PeerRecognition {
        try await store.recognise(peer)
    }

    func rememberIfUnknown(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) -> RememberOutcome {
        switch try await store.recognise(peer) {
        case .known(let known): return .alreadyKnown(known)
        case .doubtful(let doubt): return .doubtful(doubt)
        case .unknown:
            guard strangers.count < Self.most || strangers[peer.key] != nil else { throw .full }
            strangers[peer.key] = peer
            return .nowRemembered
        }
    }

    func remember(_ peer: KnownPeer) async throws(KnownPeersStoreFailure) { try await store.remember(peer) }

    func remember(
        _ peer: KnownPeer, verifiedBy verification: KeyVerification
    ) async throws(KnownPeersStoreFailure) {
        strangers[peer.key] = nil
        try await store.remember(peer, verifiedBy: verification)
    }

    func forget(_ name: DisplayName) async throws(KnownPeersStoreFailure) -> Bool { try await store.forget(name) }

    /// The stranger has gone.
    func forgetStranger(_ key: IdentityKey) { strangers[key] = nil }
}
