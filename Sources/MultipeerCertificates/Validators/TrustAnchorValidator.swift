import MultipeerCrypto

/// Accepts a peer whose chain leads to a trust anchor.
public struct TrustAnchorValidator: CertificateValidator {
    /// Which names the certificate must carry.
    public enum NameRule: Hashable, Sendable {
        /// No name: every peer of the authority is accepted, whatever its display name is.
        case any
        /// Each of these.
        case expected([ExpectedName])
        /// The peer's display name: its ``PeerNameURI``, byte for byte, and nothing else (SPEC §10.8). A host name in a
        /// certificate says who answers at a host, and not who a peer is.
        case displayName
    }

    private let paths: any PathValidator
    private let purpose: PathPurpose
    private let names: NameRule

    /// - Parameters:
    ///   - paths: Knows the trust anchors.
    ///   - purpose: What an extended key usage must allow.
    ///   - names: Which names the certificate must carry.
    public init(paths: any PathValidator, purpose: PathPurpose = .peer, names: NameRule = .any) {
        self.paths = paths
        self.purpose = purpose
        self.names = names
    }

    public func verify(_ evidence: PeerEvidence) async -> Verdict {
        // The binding of a chain without a fingerprint was not checked, so the chain proves nothing.
        guard let chain = evidence.chain, evidence.leafFingerprint != nil else { return .rejected(.missing) }
        // Nobody's certificate has the name of a peer that does not show it.
        guard let expectedNames = expectedNames(of: evidence.peer) else { return .rejected(.nameHidden) }
        let requirements = PathRequirements(purpose: purpose, expectedNames: expectedNames)
        do throws(CertificateRejection) {
            let path = try paths.validate(chain, requirements: requirements)
            return .accepted(.trustAnchor(validFor: path.validFor))
        } catch {
            return .rejected(error)
        }
    }

    private func expectedNames(of peer: PeerID) -> [ExpectedName]? {
        switch names {
        case .any: []
        case .expected(let names): names
        case .displayName: peer.displayName.map { [.uri(PeerNameURI.uri(for: $0))] }
        }
    }
}
