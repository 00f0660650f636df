import MultipeerClock
import MultipeerDriver
import Synchronization

/// The tasks that wait until a peer is connected. Each hears that there is news of the peer, and looks at its state.
struct PeerNews {
    private var followers: [Int: (peer: MCPeerID, news: AsyncQueue<Void>)] = [:]
    private var lastNumber = 0

    mutating func follow(_ peer: MCPeerID, _ news: AsyncQueue<Void>) -> Int {
        lastNumber += 1
        followers[lastNumber] = (peer, news)
        return lastNumber
    }

    mutating func end(_ number: Int) { followers[number] = nil }

    func tell(of peer: MCPeerID) {
        for follower in followers.values where follower.peer == peer { follower.news.push((), cost: 0) }
    }
}

extension SessionEngine {
    /// Waits until a peer is connected, on whatever way. Returns false if it is not in time, or the task is cancelled.
    /// - Throws: Why it will not be, if one peer has refused the other meanwhile.
    func connects(
        _ peer: MCPeerID, by deadline: ContinuousClock.Instant, in generation: SessionGeneration
    ) async throws(MCDisconnectReason) -> Bool {
        let news = AsyncQueue<Void>(watermarks: .unbounded)
        let number = state.withLock { $0.news.follow(peer, news) }
        let alarm = Task { [clock = local.clock] in
            try? await clock.sleep(until: deadline, tolerance: nil)
            news.finish()
        }
        defer {
            alarm.cancel()
            state.withLock { $0.news.end(number) }
        }
        while true {
            let peerState = state.withLock { $0.generation === generation ? $0.peerStates[peer] : nil }
            if peerState?.state == .connected { return true }
            if let refusal = peerState?.refusal { throw refusal }
            guard await news.next() != nil else { return false }
        }
    }
}
