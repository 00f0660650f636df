public import MultipeerCrypto

/// What is known of a peer when its verdict is due. The peer has proved that it holds the identity key and the leaf's key.
public struct PeerEvidence: Sendable {
    /// Identity key and name.
    public let peer: PeerID
    /// The chain, or nil when the peer showed none.
    public let chain: UnverifiedCertificateChain?
    /// SHA-256 of the leaf's SubjectPublicKeyInfo, or nil without a chain.
    public let leafFingerprint: KeyFingerprint?
    /// How the link came about, where the transport has reported it. A link does not know; its driver adds this.
    public var origin: PeerOrigin?
    /// How people have verified the key on this link, before its certificates came; nil if they have not.
    public var verification: KeyVerification?

    /// Creates evidence.
    public init(peer: PeerID, chain: UnverifiedCertificateChain?, leafFingerprint: KeyFingerprint?) {
        self.peer = peer
        self.chain = chain
        self.leafFingerprint = leafFingerprint
    }
}

/// Decides whether to trust a peer. The link waits for the verdict until its deadline, and then refuses.
public protocol CertificateValidator: Sendable {
    /// Returns the verdict. The task is cancelled when the deadline passes or the link ends.
    func verify(_ evidence: PeerEvidence) async -> Verdict

    /// Whether a peer that connects to the local peer is judged only once it has accepted the local peer (SPEC §10.5),
    /// because to judge it costs something that a stranger must not use up by never giving its own verdict.
    var judgesAfterPeer: Bool { get }

    /// Returns whether this peer, which has proved its identity key, was pinned or is remembered. This is no verdict: a
    /// listener keeps places for such peers, so that strangers cannot take all of them.
    func recognizes(_ peer: PeerID) async -> Bool
}
