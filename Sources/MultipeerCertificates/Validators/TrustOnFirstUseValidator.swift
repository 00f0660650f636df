import MultipeerCrypto

/// Accepts whoever comes first under a name, and from then on only the same keys under that name.
///
/// The first meeting is not verified (``TrustBasis/firstUse``): an attacker who is there first stays. What this
/// protects is continuity. So any change is refused, a new leaf under the same identity key too: the certificate is
/// what an app may have looked at when it met the peer, and a peer that renews one keeps the leaf's key and with it
/// the fingerprint. A person who knows of the change lets the store forget the name.
public struct TrustOnFirstUseValidator: CertificateValidator {
    private let store: any KnownPeersStore

    /// Judges by `store`, which outlives this validator.
    public init(store: any KnownPeersStore) {
        self.store = store
    }

    public func verify(_ evidence: PeerEvidence) async -> Verdict {
        let shown = KnownPeer(
            name: evidence.peer.displayName, key: evidence.peer.key, leafFingerprint: evidence.leafFingerprint)
        do throws(KnownPeersStoreFailure) {
            // The store decides who was first in one step, so two judgements at a time cannot both be the first.
            switch try await store.rememberIfUnknown(shown) {
            case .nowRemembered: return .accepted(.firstUse)
            case .alreadyKnown(let known):
                return known == shown ? .accepted(.remembered) : .rejected(.identityChanged)
            }
        } catch {
            return .rejected(.storeUnavailable)
        }
    }
}
