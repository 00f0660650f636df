import MultipeerCertificates
import MultipeerClock
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import Synchronization

/// The owner of a listener, which answers on the links that the listener accepts.
enum LinkAcceptor: Sendable {
    case session(SessionCore)
    case advertiser(WaitingInvitations)

    /// The group of the session; nil if the app chooses one with its answer.
    var group: GroupNumber? {
        switch self {
        case .session(let session): session.group
        case .advertiser: nil
        }
    }
}

/// Which session of the app each session and link of the node belongs to.
final class SessionRegistry: NodeSessions {
    /// What is known of a link of the node, from its beginning to its end.
    struct KnownLink {
        /// The remote peer, once its key is proved.
        var peer: PeerID?
        /// The owner of the listener that has accepted it.
        var listener: LinkAcceptor?
        /// The session of the app for which the local peer has made it, or has invited on it.
        var inviter: SessionCore?
        /// The local peer has invited on it, or waits to be invited.
        var attempt: LinkAttempt?
        /// A question about it to the app.
        var question: Task<Void, Never>?
        /// The app has agreed to invite the peer, which has connected and not invited.
        var admission: Acceptance?
        /// The app has accepted the invitation of the peer.
        var acceptance: Acceptance?
        /// The link of a member, once it is open.
        var open: OpenLink?
    }

    /// An open link.
    struct OpenLink: Sendable {
        let session: SessionCore
        var member: ConnectedMember
    }

    struct State {
        var sessions: [SessionID: SessionCore] = [:]
        var links: [LinkNumber: KnownLink] = [:]
        /// The attempts whose invitations are calls of the node's, by the links on which they were made. A call may outlive its link.
        var calls: [LinkNumber: LinkAttempt] = [:]
        /// Peers about which the app is asked whether they are to be invited.
        var visits = VisitLimit()
        /// All sessions of the app that are in use.
        var all: [ObjectIdentifier: SessionCore] = [:]
        /// Where the local peer listens for peers that find it nearby.
        var advertisers: [ObjectIdentifier: LinkListener] = [:]
        /// The names under which sessions are kept.
        var names: Set<String> = []
        /// How many sessions of the app there have been. Each is a group of the node's (SPEC §4.3).
        var groups: UInt64 = 0
    }

    let clock: any SteadyClock
    let state = Mutex(State())

    init(_ clock: any SteadyClock) { self.clock = clock }

    // MARK: On the event loop

    func note(_ effect: NodeEffect) {
        switch effect {
        case .identified(let link, let peer):
            let attempt = state.withLock { state in
                state.links[link, default: KnownLink()].peer = peer
                return state.links[link]?.attempt
            }
            attempt?.identified()
        case .verification(let link, .codeVerified): attempt(on: link)?.codeVerified()
        case .invitationAccepted(let link, let invitation, let group): accepted(invitation, on: link, into: group)
        case .left(let group): session(of: group)?.hasLeft()
        case .followed(let group, into: let home), .united(let group, from: _, into: let home):
            if let session = session(of: group) { register(session, as: home) }
        default: break
        }
    }

    /// ACCEPT goes out: the app has accepted, or its answer to an earlier invitation holds for this one (R8.2-10).
    private func accepted(_ invitation: ReceivedInvitation, on link: LinkNumber, into group: GroupNumber?) {
        guard let session = session(of: group) else { return }
        if let peer = peer(on: link) { session.noteAccepted(peer) }
        // What verifies the peer has to be known before the link asks. Nobody is invited there yet.
        state.withLock { $0.sessions[invitation.session] = session }
    }

    /// The app accepts the invitation on a link, and what comes of that is what its attempt waits for. Returns false if the link has ended.
    func accepts(_ acceptance: Acceptance, on link: LinkNumber) -> Bool {
        state.withLock { state in
            guard state.links[link] != nil else { return false }
            state.links[link]?.question = nil
            state.links[link]?.acceptance = acceptance
            if let attempt = acceptance.attempt { state.links[link]?.attempt = attempt }
            return true
        }
    }

    /// The app agrees to invite the peer of a link. Returns false if the link has ended.
    func admits(_ acceptance: Acceptance, on link: LinkNumber) -> Bool {
        state.withLock { state in
            guard state.links[link] != nil else { return false }
            state.links[link]?.admission = acceptance
            if let attempt = acceptance.attempt { state.links[link]?.attempt = attempt }
            return true
        }
    }

    /// What the app has agreed to about the peer of a link, before that one has invited.
    func admission(on link: LinkNumber) -> Acceptance? { state.withLock { $0.links[link]?.admission } }

    /// The links on which invitations to a session of the app are accepted, and which are not open.
    func waiting(for session: SessionCore) -> [LinkNumber] {
        state.withLock { state in
            state.links.filter { $0.value.acceptance?.session === session && $0.value.open == nil }.map(\.key)
        }
    }

    /// A group for a session of the app.
    func makeGroup() -> GroupNumber {
        state.withLock { state in
            state.groups += 1
            return GroupNumber(rawValue: state.groups)
        }
    }

    /// The local peer invites on a link, whichever peer has made it.
    func invites(_ session: SessionCore, on link: LinkNumber) {
        state.withLock { $0.links[link]?.inviter = session }
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

    /// The session of the app that is a group of the node's.
    private func session(of group: GroupNumber?) -> SessionCore? { all.first { $0.group == group } }

    /// All sessions of the app that are in use.
    var all: [SessionCore] { state.withLock { Array($0.all.values) } }

    /// Where the local peer listens.
    var listeners: [LinkListener] {
        let (sessions, advertisers) = state.withLock { ($0.all.values.map(\.self), $0.advertisers.values.map(\.self)) }
        return sessions.flatMap(\.listeners) + advertisers
    }

    /// An advertiser listens for peers that find it nearby, or does not any more.
    func note(_ listener: LinkListener?, of invitations: WaitingInvitations) {
        state.withLock { $0.advertisers[ObjectIdentifier(invitations)] = listener }
    }

    func begin(_ session: SessionCore) { state.withLock { $0.all[ObjectIdentifier(session)] = session } }

    func remove(_ session: SessionCore) {
        state.withLock { state in
            state.all[ObjectIdentifier(session)] = nil
            state.sessions = state.sessions.filter { $0.value !== session }
            for link in state.links.keys where state.links[link]?.open?.session === session {
                state.links[link]?.open = nil
            }
        }
    }

    /// The node has stopped.
    func finish() {
        let (sessions, links, calls) = state.withLock { state in
            defer { (state.links, state.calls) = ([:], [:]) }
            return (Array(state.all.values), Array(state.links.values), Array(state.calls.values))
        }
        for attempt in calls { attempt.resolve(.failure(.connection(.stopped))) }
        for link in links {
            link.attempt?.resolve(.failure(.connection(.stopped)))
            link.question?.cancel()
        }
        for session in sessions {
            session.finish()
            remove(session)
        }
    }

    /// A session is to be kept under a name. Returns whether no other one is.
    func claim(_ name: String) -> Bool { state.withLock { $0.names.insert(name).inserted } }

    func release(_ name: String) { state.withLock { _ = $0.names.remove(name) } }

    // MARK: Links

    func peer(on link: LinkNumber) -> PeerID? { state.withLock { $0.links[link]?.peer } }

    func attempt(on link: LinkNumber) -> LinkAttempt? { state.withLock { $0.links[link]?.attempt } }

    func openLink(_ link: LinkNumber) -> OpenLink? { state.withLock { $0.links[link]?.open } }

    /// People have verified the key of a link's remote peer.
    func note(_ member: ConnectedMember, on link: LinkNumber) {
        state.withLock { $0.links[link]?.open?.member = member }
    }

    /// A listener has accepted a link. It is reported on the event loop, before anything happens to the link.
    func accepted(_ link: LinkNumber, by acceptor: LinkAcceptor) {
        state.withLock { $0.links[link, default: KnownLink()].listener = acceptor }
    }

    /// The local peer has made a link. It is reported as above.
    func add(_ attempt: LinkAttempt, on link: LinkNumber) {
        state.withLock { state in
            state.links[link, default: KnownLink()].attempt = attempt
            state.links[link]?.inviter = attempt.session
        }
    }

    /// The session whose listener has accepted a link, or which has made it. The peer may invite there after a local
    /// attempt has failed.
    func owner(of link: LinkNumber) -> SessionCore? {
        state.withLock { state in
            guard case .session(let session) = state.links[link]?.listener else {
                return state.links[link]?.attempt?.session ?? state.links[link]?.inviter
            }
            return session
        }
    }

    /// Whether a listener has accepted the link, so that the local peer has not made it.
    func isAccepted(_ link: LinkNumber) -> Bool { state.withLock { $0.links[link]?.listener != nil } }

    /// The advertiser that is asked about invitations on a link that its listener has accepted.
    func advertiser(of link: LinkNumber) -> WaitingInvitations? {
        state.withLock { state in
            guard case .advertiser(let invitations) = state.links[link]?.listener else { return nil }
            return invitations
        }
    }

    /// Nobody waits any more for what becomes of a link, or it is known.
    @discardableResult
    func removeAttempt(on link: LinkNumber) -> LinkAttempt? {
        state.withLock { state in
            let call = state.calls.removeValue(forKey: link)
            return state.links[link]?.attempt.take() ?? call
        }
    }

    // MARK: Calls

    /// From now on the node says what becomes of the attempt on a link.
    func beginCall(on link: LinkNumber) {
        state.withLock { $0.calls[link] = $0.links[link]?.attempt }
    }

    /// No call was made.
    func cancelCall(on link: LinkNumber) { state.withLock { _ = $0.calls.removeValue(forKey: link) } }

    /// What has become of a call.
    func callEnded(on link: LinkNumber, _ outcome: CallOutcome) {
        guard let attempt = removeAttempt(on: link) else { return }
        switch outcome {
        case .connected(let key):
            // It may have gone again.
            let member = attempt.session?.member(key)?.member
            attempt.resolve(member.map(Result.success) ?? .failure(.connection(.closed)))
        case .failed(let end): attempt.resolve(.failure(.connection(end)))
        case .refused(let error): attempt.resolve(.failure(.connection(.request(error))))
        }
    }

    /// A link is open. Returns the local attempts that have succeeded thereby, on whatever links.
    func opened(_ link: LinkNumber, _ open: OpenLink) -> [LinkAttempt] {
        let peer = open.member.member.id
        return state.withLock { state in
            state.links[link, default: KnownLink()].peer = peer
            state.links[link]?.open = open
            let good = state.links.filter { number, known in
                guard let attempt = known.attempt, !attempt.isAwaitingCode else { return false }
                return number == link || attempt.session === open.session && known.key == peer.key
            }
            return good.keys.compactMap { state.links[$0]?.attempt.take() }
        }
    }

    /// A link continues another one.
    func continued(_ link: LinkNumber, by next: LinkNumber) {
        state.withLock { state in
            guard let open = state.links.removeValue(forKey: link)?.open,
                let member = open.session.noteContinuation(of: link, by: next)
            else { return }
            state.links[next, default: KnownLink()].open = OpenLink(session: open.session, member: member)
        }
    }

    // MARK: Questions

    /// A question about a link takes the place of the one before.
    func ask(on link: LinkNumber, _ question: Task<Void, Never>) {
        let replaced: Task<Void, Never>? = state.withLock { state in
            // A link that has ended meanwhile is not asked about.
            guard state.links[link] != nil else { return question }
            defer { state.links[link]?.question = question }
            return state.links[link]?.question
        }
        replaced?.cancel()
    }

    /// Returns whether the app is asked about a peer that waits to be invited.
    func beginVisit(of caller: Caller) -> Bool { state.withLock { $0.visits.begin(caller, at: clock.now) } }

    func endVisit(of caller: Caller, isAdmitted: Bool) {
        state.withLock { $0.visits.end(caller, isAdmitted: isAdmitted) }
    }

    /// Nobody needs the answer to the question about a link any more.
    func withdrawQuestion(on link: LinkNumber) { state.withLock { $0.links[link]?.question.take() }?.cancel() }

    /// The question of a link has been answered.
    func answered(_ link: LinkNumber) { state.withLock { $0.links[link]?.question = nil } }

    // MARK: The end

    /// The link is over. Returns the attempt that has failed with it; what becomes of a call, the node says.
    func closed(_ link: LinkNumber) -> LinkAttempt? {
        let (known, isCall) = state.withLock { state in
            (state.links.removeValue(forKey: link), state.calls[link] != nil)
        }
        known?.question?.cancel()
        return isCall ? nil : known?.attempt
    }
}

extension SessionRegistry.KnownLink {
    /// The key of the remote peer, as far as it is proved or expected.
    var key: IdentityKey? { peer?.key ?? attempt?.expected }
}
