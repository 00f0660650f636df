/// Accepts everybody. Nothing is verified, and ``TrustBasis/isVerified`` says so.
///
/// A link is still encrypted and bound to the peer's identity key; but who holds that key, nobody knows.
public struct AcceptUnverifiedPeers: CertificateValidator {
    /// Asks for it by name.
    public init() {}

    public func verify(_ evidence: PeerEvidence) async -> Verdict { .accepted(.unverified) }
}
