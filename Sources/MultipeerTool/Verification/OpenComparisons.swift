import Multipeer
import MultipeerCrypto
import Synchronization

/// Strings on the screen, for which the person has given no answer yet.
final class OpenComparisons: Sendable {
    private let all = Mutex<[PeerID: Comparison]>([:])

    func add(_ comparison: Comparison) { all.withLock { $0[comparison.member.id] = comparison } }
    func take(_ peer: PeerID) -> Comparison? { all.withLock { $0.removeValue(forKey: peer) } }
}
