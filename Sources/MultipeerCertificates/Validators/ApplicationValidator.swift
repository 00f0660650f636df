/// Asks the app.
public struct ApplicationValidator: CertificateValidator {
    private let decide: @Sendable (PeerEvidence) async -> Verdict

    /// The app gives the verdict itself.
    public init(_ decide: @escaping @Sendable (PeerEvidence) async -> Verdict) {
        self.decide = decide
    }

    /// The app says yes (``TrustBasis/application``) or no (``CertificateRejection/refusedByApplication``).
    public init(accepting isAccepted: @escaping @Sendable (PeerEvidence) async -> Bool) {
        self.decide = { evidence in
            await isAccepted(evidence) ? .accepted(.application) : .rejected(.refusedByApplication)
        }
    }

    public func verify(_ evidence: PeerEvidence) async -> Verdict { await decide(evidence) }
}
