import MultipeerCrypto

/// Accepts a peer whose chain leads to a trust anchor.
public struct TrustAnchorValidator: CertificateValidator {
    /// Which names the certificate must carry.
    public enum NameRule: Hashable, Sendable {
        /// No name: every peer of the authority is accepted, whatever its display name is.
        case any
        /// Each of these.
        case expected([ExpectedName])
        /// The peer's display name: its ``PeerNameURI``, or, where the name is a host name, a dNSName.
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
        var rejection = CertificateRejection.nameMismatch
        for names in alternatives(for: evidence.peer.displayName) {
            do throws(CertificateRejection) {
                _ = try paths.validate(chain, requirements: PathRequirements(purpose: purpose, expectedNames: names))
                return .accepted(.trustAnchor)
            } catch {
                rejection = error
                // Another name cannot help against any other reason.
                guard error == .nameMismatch else { break }
            }
        }
        return .rejected(rejection)
    }

    /// Lists of names of which one list must match. Nobody's certificate matches a name that the peer does not show.
    private func alternatives(for name: DisplayName?) -> [[ExpectedName]] {
        switch names {
        case .any: return [[]]
        case .expected(let names): return [names]
        case .displayName:
            guard let name else { return [] }
            let uri: [ExpectedName] = [.uri(PeerNameURI.uri(for: name))]
            return HostName.isValid(name.utf8Bytes) ? [uri, [.dns(name.description)]] : [uri]
        }
    }
}
