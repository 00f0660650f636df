import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import Synchronization

/// Which session of the app each session and link of the node belongs to.
final class SessionRegistry: NodeSessions {
    private struct State {
        var sessions: [SessionID: SessionCore] = [:]
        /// Who is at the other end of a link.
        var peers: [LinkNumber: PeerID] = [:]
        /// Links on which this side has invited, or waits to be.
        var attempts: [LinkNumber: LinkAttempt] = [:]
        /// Open links.
        var links: [LinkNumber: SessionCore] = [:]
        /// Whose listener has accepted a link.
        var listeners: [LinkNumber: SessionCore] = [:]
        /// Questions to the app.
        var questions: [LinkNumber: Task<Void, Never>] = [:]
        /// Peers about which the app is asked whether they are to be invited.
        var visits = VisitLimit()
        /// All sessions of the app that are in use.
        var all: [ObjectIdentifier: SessionCore] = [:]
    }

    private let state = Mutex(State())

    // MARK: On the event loop

    func note(_ event: NodeEvent) {
        guard case .node(.invitationsMerged(let link, let invitation)) = event else { return }
        // What was invited to does not exist any more: this side is where the peer has invited to.
        state.withLock { state in
            guard let peer = state.peers[link] else { return }
            let own = state.attempts.first { $0.key == link || state.peers[$0.key] == peer }
            guard let (number, attempt) = own else { return }
            state.attempts[number] = nil
            state.attempts[link] = attempt
            state.sessions[invitation.session] = attempt.session
            attempt.session.become(invitation.session)
        }
    }

    func validator(of session: SessionID) -> (any CertificateValidator)? {
        state.withLock { $0.sessions[session]?.validator }
    }

    /// The session of the app is a session of the node from now on.
    func register(_ session: SessionCore, as id: SessionID) {
        state.withLock { $0.sessions[id] = session }
        session.become(id)
    }

    // MARK: Sessions

    func session(_ id: SessionID) -> SessionCore? { state.withLock { $0.sessions[id] } }

    func session(ofLink number: LinkNumber) -> SessionCore? { state.withLock { $0.links[number] } }

    func begin(_ session: SessionCore) { state.withLock { $0.all[ObjectIdentifier(session)] = session } }

    func remove(_ session: SessionCore) {
        state.withLock { state in
            state.all[ObjectIdentifier(session)] = nil
            state.sessions = state.sessions.filter { $0.value !== session }
            state.links = state.links.filter { $0.value !== session }
        }
    }

    /// The node has stopped.
    func finish() {
        let (sessions, attempts, questions) = state.withLock { state in
            defer { state = State() }
            return (Array(state.all.values), Array(state.attempts.values), Array(state.questions.values))
        }
        for attempt in attempts { attempt.resolve(.failure(.stopped)) }
        for question in questions { question.cancel() }
        for session in sessions { session.finish() }
    }

    // MARK: Links

    func note(_ peer: PeerID, on link: LinkNumber) { state.withLock { $0.peers[link] = peer } }

    func peer(on link: LinkNumber) -> PeerID? { state.withLock { $0.peers[link] } }

    func attempt(on link: LinkNumber) -> LinkAttempt? { state.withLock { $0.attempts[link] } }

    func add(_ attempt: LinkAttempt, on link: LinkNumber) { state.withLock { $0.attempts[link] = attempt } }

    func removeAttempt(on link: LinkNumber) -> LinkAttempt? {
        state.withLock { $0.attempts.removeValue(forKey: link) }
    }

    /// The attempt to reach a peer that another link has made good.
    func removeAttempts(of session: SessionCore, to peer: PeerID) -> [LinkAttempt] {
        state.withLock { state in
            let links = state.attempts.filter { $0.value.session === session && state.peers[$0.key] == peer }.keys
            return links.compactMap { state.attempts.removeValue(forKey: $0) }
        }
    }

    func opened(_ link: LinkNumber, _ peer: PeerID, in session: SessionCore) {
        state.withLock { state in
            state.peers[link] = peer
            state.links[link] = session
        }
    }

    /// A listener has accepted a link. It is told on the event loop, before the link says anything.
    func accepted(_ link: LinkNumber, by session: SessionCore) { state.withLock { $0.listeners[link] = session } }

    /// Whose listener has accepted a link, or whose attempt has made it.
    func owner(of link: LinkNumber) -> SessionCore? {
        state.withLock { $0.listeners[link] ?? $0.attempts[link]?.session }
    }

    /// A question about a link takes the place of the one before.
    func ask(on link: LinkNumber, _ question: Task<Void, Never>) {
        let before = state.withLock { $0.questions.updateValue(question, forKey: link) }
        before?.cancel()
    }

    /// Returns whether the app is asked about a peer that waits to be invited.
    func beginVisit(of peer: IdentityKey, at now: Instant) -> Bool {
        state.withLock { $0.visits.begin(peer, at: now) }
    }

    func endVisit(of peer: IdentityKey) { state.withLock { $0.visits.end(peer) } }

    /// The link is over.
    func closed(_ link: LinkNumber) {
        let question = state.withLock { state in
            state.peers[link] = nil
            state.links[link] = nil
            state.listeners[link] = nil
            return state.questions.removeValue(forKey: link)
        }
        question?.cancel()
    }

    /// The question of a link has been answered.
    func answered(_ link: LinkNumber) { state.withLock { state in _ = state.questions.removeValue(forKey: link) } }
}
