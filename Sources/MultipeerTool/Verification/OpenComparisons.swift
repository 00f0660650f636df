import Multipeer
import MultipeerCrypto
import Synchronization

/// Strings on the screen, for which the person has given no answer yet.
final class OpenComparisons: Sendable {
    private let confirmed = Mutex<[PeerID: TakingBack]>([:])
    private let all = Mutex<[PeerID: Comparison]>([:])

    func add(_ comparison: Comparison) { all.withLock { $0[comparison.member.id] = comparison } }
    /// The person has said that the strings are the same.
    func confirmed(_ takingBack: TakingBack) { confirmed.withLock { $0[takingBack.peer] = takingBack } }
    /// What takes back what the person has said of a peer's strings, if it has.
    func takeConfirmed(_ peer: PeerID) -> TakingBack? { confirmed.withLock { $0.removeValue(forKey: peer) } }
    func take(_ peer: PeerID) -> Comparison? { all.withLock { $0.removeValue(forKey: peer) } }
}
