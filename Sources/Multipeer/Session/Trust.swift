public import MultipeerCertificates
import MultipeerCrypto

/// The peers that a session trusts. No peer is a member unless this has said yes.
public enum Trust: Sendable {
    /// Peers that come for the first time, whose keys are remembered; later only these keys. A known name with another key is
    /// refused. This protects from everybody but an attacker who comes first; see ``Member/isVerified``.
    case firstUse
    /// Peers with one of these keys.
    case pinned(Set<PinnedKeyValidator.Pin>)
    /// Peers that this validator accepts, such as a `TrustAnchorValidator` for certificates of an authority.
    case validator(any CertificateValidator)
    /// Everybody. Nothing is verified.
    case everyone

    func validator(of identity: PeerIdentity) -> any CertificateValidator {
        switch self {
        case .firstUse: TrustOnFirstUseValidator(store: identity.knownPeers, limiter: .process)
        case .pinned(let pins): PinnedKeyValidator(pins: pins)
        case .validator(let validator): validator
        case .everyone: AcceptUnverifiedPeers()
        }
    }
}

extension FirstUseLimiter {
    /// One for all sessions of the process, so that several of them are no way around it.
    static let process = FirstUseLimiter()
}
