/// Asks the app.
public struct ApplicationValidator: CertificateValidator {
    private let decide: @Sendable (PeerEvidence) async -> Verdict

    /// Creates a validator whose verdict the app gives.
    public init(_ decide: @escaping @Sendable (PeerEvidence) async -> Verdict) {
        self.decide = decide
    }

    /// Creates a validator for an app that says yes (``TrustBasis/application``) or no (``CertificateRejection/refusedByApplication``).
    public init(accepting isAccepted: @escaping @Sendable (PeerEvidence) async -> Bool) {
        self.decide = { evidence in
            await isAccepted(evidence) ? .accepted(.application) : .rejected(.refusedByApplication)
        }
    }

    public func verify(_ evidence: PeerEvidence) async -> Verdict { await decide(evidence) }
}
