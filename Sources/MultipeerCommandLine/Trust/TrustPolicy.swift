package import MultipeerCertificates
import MultipeerCrypto
package import MultipeerGnuTLS
import MultipeerStorage
import MultipeerTransfers

/// The policy, from the command line, that says which peers the local peer trusts.
package enum TrustPolicy: Sendable {
    /// No option was given, so no peer is trusted. Silence never means yes (SPEC §10.5).
    case nobody
    /// Peers with a certificate of one of these authorities. With `matchesName` it must carry the peer's display name.
    case anchors(AnchorBundle, file: String, matchesName: Bool)
    case pins(Set<PinnedKeyValidator.Pin>)
    case firstUse(path: String)
    case unverified

    package func validator() throws(CommandFailure) -> any CertificateValidator {
        switch self {
        case .nobody: return ApplicationValidator { _ in .rejected(.refusedByApplication) }
        case .anchors(let bundle, let file, let matchesName):
            do throws(CertificateFileError) {
                let paths = try GnuTLSPathValidator(anchors: bundle.anchors, clock: SystemClock.wall)
                return TrustAnchorValidator(paths: paths, names: matchesName ? .displayName : .any)
            } catch {
                throw CommandFailure(error, file: file)
            }
        case .pins(let pins): return PinnedKeyValidator(pins: pins)
        case .firstUse(let path): return TrustOnFirstUseValidator(store: KnownPeersFile(path: path))
        case .unverified: return AcceptUnverifiedPeers()
        }
    }
}
