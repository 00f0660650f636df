import MultipeerCrypto

/// Accepts the first peer that comes under a name, and from then on only the same keys under that name.
///
/// The first meeting is not verified (``TrustBasis/firstUse``): an attacker who comes first stays trusted. The validator
/// protects continuity. So it refuses every change, also a new leaf under the same identity key, because the app may have
/// looked at the certificate when it met the peer. A peer that renews its certificate keeps the leaf's key and with it
/// the fingerprint. A person who knows of a change lets the store forget the name.
public struct TrustOnFirstUseValidator: CertificateValidator {
    private let store: any KnownPeersStore

    /// Creates a validator that remembers peers in `store`.
    public init(store: any KnownPeersStore) {
        self.store = store
    }

    func isRemembered(_ peer: PeerID) async -> Bool {
        // A store that gives no answer recognizes nobody, and the verdict reports the failure.
        (try? await store.knownPeer(named: peer.displayName))?.key == peer.key
    }

    public func verify(_ evidence: PeerEvidence) async -> Verdict {
        let shown = KnownPeer(
            name: evidence.peer.displayName, key: evidence.peer.key, leafFingerprint: evidence.leafFingerprint)
        do throws(KnownPeersStoreFailure) {
            // The store decides who was first in one step, so that two verdicts at a time cannot both be the first.
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
