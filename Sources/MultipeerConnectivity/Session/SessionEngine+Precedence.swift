import Multipeer
import MultipeerCrypto
import Synchronization

/// The order in which peers that invite each other at the same time take their turns.
///
/// Of four apps that all invite each other, each two could agree among themselves, and there would be two sessions,
/// which are not united any more. So a peer that is alone, and invites another one with a lesser tag than both have
/// that are about to agree, waits for that one first. All that know each other then come to the one with the least tag.
/// It is enough that one of two knows it.
extension SessionEngine {
    /// How long each of those with a lesser tag is waited for, in looks a pause apart, which are a second in all: it may be gone, or
    /// its app may ask somebody.
    ///
    /// Looks are counted and not the time: while a computer sleeps, or does too much, the answers that the local peer
    /// waits for are delayed as well, and have to be taken before it gives up.
    private static let looksForTurn = 100
    private static let pause: Duration = .milliseconds(10)
    /// How many of them are waited for.
    private static let mostTurns = 3

    /// Waits before the local peer agrees with a remote one.
    func waitForTurn(of peer: KeyTag, in generation: SessionGeneration) async {
        let before = calleesBefore(peer, in: generation)
        var looks = Self.looksForTurn * min(before, Self.mostTurns)
        while looks > 0, calleesBefore(peer, in: generation) > 0 {
            guard (try? await Task.sleep(for: Self.pause)) != nil else { return }
            looks -= 1
        }
    }

    /// How many the local peer invites that come before it and a peer; none if it is connected with somebody.
    private func calleesBefore(_ peer: KeyTag, in generation: SessionGeneration) -> Int {
        guard generation.session?.connectedPeers.isEmpty ?? true else { return 0 }
        let mine = Cryptography.tag(of: local.key)
        return state.withLock { state in
            guard state.generation === generation else { return 0 }
            return state.peerStates.values.count { peerState in
                peerState.calls > 0 && peerState.peer.tag.precedes(mine) && peerState.peer.tag.precedes(peer)
            }
        }
    }
}

extension KeyTag {
    /// Whether this one is the lesser one, compared byte by byte.
    fileprivate func precedes(_ other: KeyTag) -> Bool { rawBytes.lexicographicallyPrecedes(other.rawBytes) }
}
