import Multipeer
import MultipeerCrypto
import Synchronization

/// The peers nearby that this chat is inviting, because its person has named them. Their own invitations need no further word of the
/// person: both want the same chat.
final class WantedPeers: Sendable {
    private let tags = Mutex<Set<KeyTag>>([])

    func insert(_ peer: NearbyPeer) { tags.withLock { _ = $0.insert(peer.id) } }
    func remove(_ peer: NearbyPeer) { tags.withLock { _ = $0.remove(peer.id) } }
    func contains(_ tag: KeyTag) -> Bool { tags.withLock { $0.contains(tag) } }
}
