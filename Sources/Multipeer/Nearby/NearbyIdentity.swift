import MultipeerCertificates
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import Synchronization

/// How a peer is told apart nearby.
final class NearbyIdentity: Sendable {
    /// The tag of the identity key.
    let keyTag: KeyTag
    private let randomTags = Mutex<Set<KeyTag>>([])

    init(_ key: IdentityKey, hashing: any Hashing) { keyTag = KeyTag(of: key, hashing: hashing) }

    /// All tags that this side advertises, or could.
    var ownTags: Set<KeyTag> { randomTags.withLock { $0.union([keyTag]) } }

    /// This side advertises privately by the tag, from now on.
    func begin(_ tag: KeyTag) { _ = randomTags.withLock { $0.insert(tag) } }
}

extension PeerHost {
    /// The peers that this side has met, by the tags of their keys.
    func knownPeersByTag() async -> [KeyTag: PeerID] {
        var known: [KeyTag: PeerID] = [:]
        for peer in await identity.everyKnownPeer() {
            let tag = KeyTag(of: peer.key, hashing: identity.crypto.hashing)
            known[tag] = PeerID(key: peer.key, displayName: peer.label ?? peer.name)
        }
        return known
    }

    /// A tag that nobody can foresee (R23.3-2).
    func randomTag() -> KeyTag {
        var random: any RandomSource = identity.sodium.random
        return KeyTag(random: &random)
    }
}
