import Dispatch
import Multipeer
import MultipeerCrypto
import Synchronization

/// How a peer stands in a session.
struct Standing {
    let peer: MCPeerID
    var state = MCSessionState.notConnected
    /// When it became connected, by number.
    var order = 0
    /// How many invitations between both are under way.
    var attempts = 0
    /// Whether the members of the session connect it.
    var isLinking = false
    /// Whether it has been connected, or could not be. From then on it is tried again in silence.
    var hasEnded = false
}

/// The states of peers. Each change is told in the order in which it happens, because the queue takes it inside of the lock.
extension SessionEngine {
    var connectedPeers: [MCPeerID] {
        state.withLock { state in
            state.standings.values.filter { $0.state == .connected }.sorted { $0.order < $1.order }.map(\.peer)
        }
    }

    func report(_ peer: MCPeerID, _ new: MCSessionState, _ reason: MCDisconnectReason? = nil) {
        queue.async { [watchers] in watchers.tell(peer, new, reason) }
        tell { session, delegate in
            if let reason { delegate.session(session, peer: peer, didDisconnectWithReason: reason) }
            delegate.session(session, peer: peer, didChange: new)
        }
    }

    /// An invitation between this side and a peer begins.
    func begin(_ peer: MCPeerID) -> Round {
        state.withLock { state in
            let round = currentRound(&state)
            var standing = state.standings[peer] ?? Standing(peer: peer)
            standing.attempts += 1
            if standing.state == .notConnected {
                standing.state = .connecting
                report(standing.peer, .connecting)
            }
            state.standings[peer] = standing
            return round
        }
    }

    /// An invitation has ended: the peer is a member (nil), or is not for a reason.
    func finish(_ peer: MCPeerID, in round: Round, _ reason: MCDisconnectReason?) {
        state.withLock { state in
            guard state.round === round, var standing = state.standings[peer] else { return }
            standing.attempts -= 1
            // Who is a member by now is about to be told as one, on whatever link that came.
            if let reason, standing.attempts == 0, standing.state == .connecting, !standing.isLinking,
                !Self.isMember(standing.peer, in: round)
            {
                standing.state = .notConnected
                report(standing.peer, .notConnected, reason)
            }
            state.standings[peer] = standing
        }
    }

    private static func isMember(_ peer: MCPeerID, in round: Round) -> Bool {
        guard let key = peer.key, let session = round.session else { return false }
        return session.state(of: PeerID(key: key, displayName: nil)) == .connected
    }

    /// The members of the session connect a peer.
    func linking(_ peer: PeerID, in round: Round) {
        state.withLock { state in
            guard state.round === round else { return }
            let id = known(peer, state)
            var standing = state.standings[id] ?? Standing(peer: id)
            guard !standing.hasEnded else { return }
            standing.isLinking = true
            if standing.state == .notConnected {
                standing.state = .connecting
                report(id, .connecting)
            }
            state.standings[id] = standing
        }
    }

    func connected(_ peer: PeerID, in round: Round) {
        state.withLock { state in
            guard state.round === round else { return }
            let id = known(peer, state)
            var standing = state.standings[id] ?? Standing(peer: id)
            standing.isLinking = false
            standing.hasEnded = true
            guard standing.state != .connected else { return }
            if standing.state == .notConnected { report(id, .connecting) }
            standing.state = .connected
            state.connections += 1
            standing.order = state.connections
            state.standings[id] = standing
            report(id, .connected)
        }
    }

    /// A peer is not connected any more, or could not be.
    func ended(_ peer: PeerID, in round: Round, _ reason: MCDisconnectReason) {
        let outputs: [OutgoingBytes] = state.withLock { state in
            let id = known(peer, state)
            guard state.round === round, var standing = state.standings[id] else { return [] }
            let wasConnected = standing.state == .connected
            (standing.isLinking, standing.hasEnded) = (false, true)
            if wasConnected || standing.state == .connecting && standing.attempts == 0 {
                standing.state = .notConnected
                report(id, .notConnected, reason)
            }
            if wasConnected, standing.attempts > 0 {
                standing.state = .connecting
                report(id, .connecting)
            }
            state.standings[id] = standing
            return wasConnected ? state.outputs.removeValue(forKey: id) ?? [] : []
        }
        for output in outputs { output.fail(MCError(.notConnected, reason.description)) }
    }

    /// The peer ID that the app has for a peer, which has proved its key.
    func known(_ peer: PeerID, in round: Round? = nil) -> MCPeerID { state.withLock { known(peer, $0) } }

    private func known(_ peer: PeerID, _ state: borrowing State) -> MCPeerID {
        let id = MCPeerID(peer)
        guard let known = state.standings[id]?.peer else { return id }
        known.learn(peer.key)
        return known
    }
}
