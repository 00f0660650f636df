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
    /// How many of them are this side's.
    var calls = 0
    /// How many of them have begun since it became connected last: what those before wanted has been reached.
    var newAttempts = 0
    /// How many of the peer's the app has accepted, and this side joins.
    var joins = 0
    /// When the last of them is given up.
    var deadline: ContinuousClock.Instant?
    /// Why one of these has come to nothing that must not be tried again.
    var refusal: MCDisconnectReason?
    /// Whether the members of the session connect it.
    var isLinking = false
    /// Whether it has been connected, or could not be. From then on it is tried again in silence.
    var hasEnded = false
}

/// Who has begun an invitation.
enum Inviter: Sendable {
    case thisSide
    case peer
}

extension Standing {
    /// An invitation, or a link, has come to nothing.
    fileprivate mutating func note(_ reason: MCDisconnectReason?) {
        if let reason, [.notTrusted, .encryptionMismatch].contains(reason.kind) { refusal = reason }
    }
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

    /// An invitation between this side and a peer begins, which is given up after a time.
    func begin(_ peer: MCPeerID, by inviter: Inviter, for timeout: Duration) -> Round {
        let deadline = local.clock.now.advanced(by: timeout)
        return begin(peer, by: inviter, until: deadline)
    }

    private func begin(_ peer: MCPeerID, by inviter: Inviter, until deadline: ContinuousClock.Instant) -> Round {
        state.withLock { state in
            let round = currentRound(&state)
            var standing = state.standings[peer] ?? Standing(peer: peer)
            // What was refused before counts no more, unless a call of this side would not hear of it then.
            if inviter == .thisSide || standing.calls == 0 {
                standing.refusal = nil
                if let key = peer.key { _ = round.session?.takeRefusal(of: key) }
            }
            standing.attempts += 1
            standing.newAttempts += 1
            standing.deadline = standing.attempts > 1 ? max(standing.deadline ?? deadline, deadline) : deadline
            if inviter == .thisSide { standing.calls += 1 }
            if standing.state == .notConnected {
                standing.state = .connecting
                report(standing.peer, .connecting)
            }
            state.standings[peer] = standing
            return round
        }
    }

    /// An invitation has ended: the peer is a member (nil), or is not for a reason.
    func finish(_ peer: MCPeerID, by inviter: Inviter, in round: Round, _ reason: MCDisconnectReason?) {
        state.withLock { state in
            guard state.round === round, var standing = state.standings[peer] else { return }
            standing.attempts -= 1
            if inviter == .thisSide { standing.calls -= 1 }
            standing.newAttempts = min(standing.newAttempts, standing.attempts)
            standing.note(reason)
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

    /// Why a peer is not to be invited again, though an invitation of this side has come to nothing for another reason: the peer's own
    /// was refused meanwhile.
    func refusal(of peer: MCPeerID, in round: Round) -> MCDisconnectReason? {
        state.withLock { state in
            if let key = peer.key, let reason = round.session?.takeRefusal(of: key) {
                state.standings[peer]?.note(MCDisconnectReason(reason))
            }
            return state.standings[peer]?.refusal
        }
    }

    /// When the invitations between this side and a peer are given up; nil if none is under way.
    func deadline(of peer: MCPeerID) -> ContinuousClock.Instant? {
        state.withLock { state in
            guard let standing = state.standings[peer], standing.attempts > 0 else { return nil }
            return standing.deadline
        }
    }

    /// Whether the app has accepted an invitation of a peer, and nothing has come of it yet.
    func isAccepting(_ peer: MCPeerID, in round: Round) -> Bool {
        state.withLock { state in
            guard state.round === round, let standing = state.standings[peer] else { return false }
            return standing.joins > 0
        }
    }

    /// Counts the invitations of a peer that this side joins.
    func changeJoins(of peer: MCPeerID, by change: Int, in round: Round) {
        state.withLock { state in
            if state.round === round { state.standings[peer]?.joins += change }
        }
    }

    /// How many peers have become connected so far.
    var connections: Int { state.withLock { $0.connections } }

    /// Whether a peer has become connected since there were so many connections, whatever became of it then.
    func hasConnected(_ peer: MCPeerID, since connections: Int) -> Bool {
        state.withLock { ($0.standings[peer]?.order ?? 0) > connections }
    }

    private static func isMember(_ peer: MCPeerID, in round: Round) -> Bool {
        guard let key = peer.key, let session = round.session else { return false }
        return session.state(of: PeerID(key: key, displayName: nil)) == .connected
    }

    /// The members of the session connect a peer. The roster has no names: of a member whose name only its link will tell, the app
    /// hears once it is connected, because a peer ID keeps the name that it was first shown with.
    func linking(_ peer: PeerID, in round: Round) {
        state.withLock { state in
            guard state.round === round else { return }
            let id = known(peer, state)
            guard peer.displayName != nil || state.standings[id] != nil else { return }
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
            standing.newAttempts = 0
            guard standing.state != .connected else {
                state.standings[id] = standing
                return
            }
            if standing.state == .notConnected { report(id, .connecting) }
            standing.state = .connected
            state.connections += 1
            standing.order = state.connections
            state.standings[id] = standing
            report(id, .connected)
            local.consents.remove(id.tag, of: self)
        }
    }

    /// A peer is not connected any more, or could not be.
    func ended(_ peer: PeerID, in round: Round, _ reason: MCDisconnectReason) {
        let outputs: [OutgoingBytes] = state.withLock { state in
            let id = known(peer, state)
            guard state.round === round, var standing = state.standings[id] else { return [] }
            let wasConnected = standing.state == .connected
            (standing.isLinking, standing.hasEnded) = (false, true)
            standing.note(reason)
            if wasConnected || standing.state == .connecting && standing.attempts == 0 {
                standing.state = .notConnected
                report(id, .notConnected, reason)
            }
            if wasConnected, standing.newAttempts > 0 {
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
