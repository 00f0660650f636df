import Dispatch
import Multipeer
import MultipeerCrypto
import Synchronization

/// The state of a peer in a session.
struct PeerState {
    let peer: MCPeerID
    var state = MCSessionState.notConnected
    /// When it became connected, by number.
    var order = 0
    /// How many invitations between both are under way.
    var attempts = 0
    /// How many of them are the local peer's.
    var calls = 0
    /// How many of them have begun since it became connected last: what those before wanted has been reached.
    var newAttempts = 0
    /// When the last of them is given up.
    var deadline: ContinuousClock.Instant?
    /// Why one of these has failed that must not be tried again.
    var refusal: MCDisconnectReason?
    /// Whether the members of the session connect it.
    var isLinking = false
    /// Whether it has been connected, or could not be. From then on it is tried again in silence.
    var hasEnded = false
}

/// The peer that has begun an invitation.
enum Inviter: Sendable {
    case thisSide
    case peer
}

extension PeerState {
    /// An invitation, or a link, has failed.
    fileprivate mutating func note(_ reason: MCDisconnectReason?) {
        if let reason, [.notTrusted, .encryptionMismatch].contains(reason.kind) { refusal = reason }
    }
}

/// The states of peers. Each change is reported in the order in which it happens, because the queue takes it inside of
/// the lock.
extension SessionEngine {
    var connectedPeers: [MCPeerID] {
        state.withLock { state in
            state.peerStates.values.filter { $0.state == .connected }.sorted { $0.order < $1.order }.map(\.peer)
        }
    }

    func report(_ peer: MCPeerID, _ new: MCSessionState, _ reason: MCDisconnectReason? = nil) {
        queue.async { [watchers] in watchers.tell(peer, new, reason) }
        tell { session, delegate in
            if let reason { delegate.session(session, peer: peer, didDisconnectWithReason: reason) }
            delegate.session(session, peer: peer, didChange: new)
        }
    }

    /// An invitation between the local peer and a peer begins, which is given up after a time.
    func begin(_ peer: MCPeerID, by inviter: Inviter, for timeout: Duration) -> SessionGeneration {
        let deadline = local.clock.now.advanced(by: timeout)
        return begin(peer, by: inviter, until: deadline)
    }

    private func begin(_ peer: MCPeerID, by inviter: Inviter, until deadline: ContinuousClock.Instant)
        -> SessionGeneration
    {
        state.withLock { state in
            let generation = currentGeneration(&state)
            var peerState = state.peerStates[peer] ?? PeerState(peer: peer)
            // What was refused before counts no more, unless a local call would not hear of it then.
            if inviter == .thisSide || peerState.calls == 0 {
                peerState.refusal = nil
            }
            peerState.attempts += 1
            peerState.newAttempts += 1
            peerState.deadline = peerState.attempts > 1 ? max(peerState.deadline ?? deadline, deadline) : deadline
            if inviter == .thisSide { peerState.calls += 1 }
            if peerState.state == .notConnected {
                peerState.state = .connecting
                report(peerState.peer, .connecting)
            }
            state.peerStates[peer] = peerState
            return generation
        }
    }

    /// An invitation has ended: the peer is a member (nil), or is not for a reason.
    func finish(_ peer: MCPeerID, by inviter: Inviter, in generation: SessionGeneration, _ reason: MCDisconnectReason?)
    {
        state.withLock { state in
            guard state.generation === generation, var peerState = state.peerStates[peer] else { return }
            peerState.attempts -= 1
            if inviter == .thisSide { peerState.calls -= 1 }
            peerState.newAttempts = min(peerState.newAttempts, peerState.attempts)
            peerState.note(reason)
            // A peer that is a member by now is about to be reported as one, on whatever link that came.
            if let reason, peerState.attempts == 0, peerState.state == .connecting, !peerState.isLinking,
                !Self.isMember(peerState.peer, in: generation)
            {
                peerState.state = .notConnected
                report(peerState.peer, .notConnected, reason)
            }
            state.peerStates[peer] = peerState
            state.news.tell(of: peer)
        }
    }

    /// When the invitations between the local peer and a peer are given up; nil if none is under way.
    func deadline(of peer: MCPeerID) -> ContinuousClock.Instant? {
        state.withLock { state in
            guard let peerState = state.peerStates[peer], peerState.attempts > 0 else { return nil }
            return peerState.deadline
        }
    }

    /// How many peers have become connected so far.
    var connections: Int { state.withLock { $0.connections } }

    /// Whether a peer has become connected since there were `connections` connections, whatever became of it then.
    func hasConnected(_ peer: MCPeerID, since connections: Int) -> Bool {
        state.withLock { ($0.peerStates[peer]?.order ?? 0) > connections }
    }

    private static func isMember(_ peer: MCPeerID, in generation: SessionGeneration) -> Bool {
        guard let key = peer.key, let session = generation.session else { return false }
        return session.state(of: PeerID(key: key, displayName: nil)) == .connected
    }

    /// The members of the session connect a peer. The roster has no names: of a member whose name only its link will tell, the app
    /// hears once it is connected, because a peer ID keeps the name that it was first shown with.
    func linking(_ peer: PeerID, in generation: SessionGeneration) {
        state.withLock { state in
            guard state.generation === generation else { return }
            let id = known(peer, state)
            guard peer.displayName != nil || state.peerStates[id] != nil else { return }
            var peerState = state.peerStates[id] ?? PeerState(peer: id)
            guard !peerState.hasEnded else { return }
            peerState.isLinking = true
            if peerState.state == .notConnected {
                peerState.state = .connecting
                report(id, .connecting)
            }
            state.peerStates[id] = peerState
        }
    }

    func connected(_ peer: PeerID, in generation: SessionGeneration) {
        state.withLock { state in
            guard state.generation === generation else { return }
            let id = known(peer, state)
            var peerState = state.peerStates[id] ?? PeerState(peer: id)
            peerState.isLinking = false
            peerState.hasEnded = true
            peerState.newAttempts = 0
            guard peerState.state != .connected else {
                state.peerStates[id] = peerState
                return
            }
            if peerState.state == .notConnected { report(id, .connecting) }
            peerState.state = .connected
            state.connections += 1
            peerState.order = state.connections
            state.peerStates[id] = peerState
            report(id, .connected)
            state.news.tell(of: id)
            local.consents.remove(id.tag, of: self)
        }
    }

    /// A peer is not connected any more, or could not be.
    func ended(_ peer: PeerID, in generation: SessionGeneration, _ reason: MCDisconnectReason) {
        let outputs: [OutgoingBytes] = state.withLock { state in
            let id = known(peer, state)
            guard state.generation === generation, var peerState = state.peerStates[id] else { return [] }
            let wasConnected = peerState.state == .connected
            (peerState.isLinking, peerState.hasEnded) = (false, true)
            peerState.note(reason)
            if wasConnected || peerState.state == .connecting && peerState.attempts == 0 {
                peerState.state = .notConnected
                report(id, .notConnected, reason)
            }
            if wasConnected, peerState.newAttempts > 0 {
                peerState.state = .connecting
                report(id, .connecting)
            }
            state.peerStates[id] = peerState
            state.news.tell(of: id)
            return wasConnected ? state.outputs.removeValue(forKey: id) ?? [] : []
        }
        for output in outputs { output.fail(MCError(.notConnected, reason.description)) }
    }

    /// The peer ID that the app has for a peer, which has proved its key.
    func known(_ peer: PeerID, in generation: SessionGeneration? = nil) -> MCPeerID {
        state.withLock { known(peer, $0) }
    }

    private func known(_ peer: PeerID, _ state: borrowing State) -> MCPeerID {
        let id = MCPeerID(peer)
        guard let known = state.peerStates[id]?.peer else { return id }
        known.learn(peer.key)
        return known
    }
}
