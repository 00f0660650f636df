/// Accepts every peer. Nothing is verified but what people verify themselves, and ``TrustBasis/isVerified`` says so.
///
/// A link is still encrypted and bound to the peer's identity key, but it is unknown who holds that key.
public struct AcceptUnverifiedPeers: CertificateValidator {
    /// Creates the validator.
    public init() {}

    public func verify(_ evidence: PeerEvidence) async -> Verdict {
        .accepted(evidence.verification.map(TrustBasis.verified) ?? .unverified)
    }
}
