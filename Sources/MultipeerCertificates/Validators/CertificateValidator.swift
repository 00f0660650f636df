public import MultipeerCrypto

/// All that there is to judge a peer by. The identity key is proved; whether the leaf's key signed the link is proved.
public struct PeerEvidence: Sendable {
    /// Identity key and name.
    public let peer: PeerID
    /// The chain, or nil when the peer showed none.
    public let chain: UnverifiedCertificateChain?
    /// SHA-256 of the leaf's SubjectPublicKeyInfo, or nil without a chain.
    public let leafFingerprint: KeyFingerprint?

    /// Joins the evidence.
    public init(peer: PeerID, chain: UnverifiedCertificateChain?, leafFingerprint: KeyFingerprint?) {
        self.peer = peer
        self.chain = chain
        self.leafFingerprint = leafFingerprint
    }
}

/// Judges a peer. The link waits for the verdict until its deadline, and then refuses.
public protocol CertificateValidator: Sendable {
    /// The verdict. Cancelled when the deadline passes or the link ends.
    func verify(_ evidence: PeerEvidence) async -> Verdict
}
