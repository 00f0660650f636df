public import MultipeerCrypto

// Which peers a validator recognizes before it judges them (docs/decisions/0012-limits-until-open.md).

extension CertificateValidator {
    /// Peers are judged at once.
    public var judgesAfterPeer: Bool { false }

    /// No peer is recognized.
    public func recognizes(_ peer: PeerID) async -> Bool { false }
}

extension PinnedKeyValidator {
    /// Returns whether the peer's identity key is pinned. The key of a certificate is not known yet.
    public func recognizes(_ peer: PeerID) async -> Bool { isPinned(peer.key) }
}

extension TrustOnFirstUseValidator {
    /// Returns whether the peer's name is remembered with this identity key.
    public func recognizes(_ peer: PeerID) async -> Bool { await isRemembered(peer) }
}
