import MultipeerCertificates
import MultipeerCrypto
import MultipeerSodium
import MultipeerStorage
import Synchronization

/// What distinguishes a peer from others nearby.
final class NearbyIdentity: Sendable {
    /// The tag of the identity key.
    let keyTag: KeyTag
    private let randomTags = Mutex<Set<KeyTag>>([])
    private let hashing: any Hashing
    /// The tags of the peers that were known when that was last asked.
    private let knownTags = Mutex<[IdentityKey: KeyTag]>([:])

    init(_ key: IdentityKey, hashing: any Hashing) {
        self.hashing = hashing
        keyTag = KeyTag(of: key, hashing: hashing)
    }

    /// All tags that the local peer advertises, or could.
    var ownTags: Set<KeyTag> { randomTags.withLock { $0.union([keyTag]) } }

    /// The local peer advertises privately by the tag from now on.
    func begin(_ tag: KeyTag) { _ = randomTags.withLock { $0.insert(tag) } }

    /// The tag of another key.
    func tag(of key: IdentityKey) -> KeyTag { KeyTag(of: key, hashing: hashing) }

    /// The tags of all known peers. Each is computed once.
    func tags(of keys: [IdentityKey]) -> [IdentityKey: KeyTag] {
        knownTags.withLock { known in
            known = Dictionary(keys.map { ($0, known[$0] ?? KeyTag(of: $0, hashing: hashing)) }) { first, _ in first }
            return known
        }
    }
}

extension PeerHost {
    /// The peers that the local peer has met, by the tags of their keys.
    func knownPeersByTag() async -> [KeyTag: KnownPeer] {
        let peers = await identity.everyKnownPeer()
        let tags = nearby.tags(of: peers.map(\.key))
        var known: [KeyTag: KnownPeer] = [:]
        for peer in peers {
            guard let tag = tags[peer.key] else { continue }
            known[tag] = peer
        }
        return known
    }

    /// A tag that nobody can foresee (R23.3-2).
    func randomTag() -> KeyTag {
        var random: any RandomSource = identity.sodium.random
        return KeyTag(random: &random)
    }
}
