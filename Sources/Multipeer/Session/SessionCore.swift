import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerTransfers
import MultipeerWire
import Synchronization

/// The implementation of a ``Session``: its place in the node, its members, and its events. The registry holds it while
/// it is in use.
final class SessionCore: Sendable {
    let host: PeerHost
    /// The group of the node's sessions that it is.
    let group: GroupNumber
    let validator: any CertificateValidator
    let terms: SessionTerms
    let parameters: CharterParameters
    /// What keeps the session for a later run, if anything does.
    let keeper: SessionKeeper?
    /// Whether it is founded before anybody is invited, so that invitations to several peers at once are to one session.
    let isFoundedFirst: Bool
    /// What comes where the session listens, for the app to answer.
    let invitations = WaitingInvitations(encryption: nil)
    private let events = AsyncQueue<WaitingEvent>(watermarks: .unbounded)
    /// The node has left the group.
    private let departure = AsyncQueue<Void>(watermarks: .unbounded)
    private let state = Mutex(State())

    private struct State {
        /// Which session of the node it is; nil before anybody is invited, or has invited.
        var id: SessionID?
        var members: [IdentityKey: ConnectedMember] = [:]
        /// Those whose connections are lost, and may come back.
        var reconnecting: Set<IdentityKey> = []
        /// Peers that the app knows to be connecting.
        var connecting: [IdentityKey: PeerID] = [:]
        /// The peers whose invitations the app has accepted, and which are not connected yet.
        var accepted: [IdentityKey: PeerID] = [:]
        /// Why the last connections ended.
        var reasons: [IdentityKey: DisconnectReason] = [:]
        var listeners: [LinkListener] = []
        var handlers: InvitationHandlers?
        /// How many events of a peer's comings and goings the app has not taken.
        var untaken: [IdentityKey: Int] = [:]
        var isOver = false

        private static let mostReasons = 1_024

        /// Identities cost nothing: of those that are not connected only some are remembered.
        mutating func note(_ reason: DisconnectReason, for key: IdentityKey) {
            reasons[key] = reason
            if reasons.count > Self.mostReasons { reasons = [key: reason] }
        }
    }

    /// An event, and what its sender is owed once the app has it.
    /// By reference: an event is large, and a queue moves it several times.
    private final class WaitingEvent: Sendable {
        let event: SessionEvent
        let receipt: ReceiptedEvent?
        let peer: IdentityKey?

        init(_ event: SessionEvent, _ receipt: ReceiptedEvent? = nil, of peer: IdentityKey? = nil) {
            (self.event, self.receipt, self.peer) = (event, receipt, peer)
        }
    }

    init(
        host: PeerHost, validator: any CertificateValidator, terms: SessionTerms, parameters: CharterParameters,
        keeper: SessionKeeper? = nil, isFoundedFirst: Bool = false
    ) {
        self.host = host
        group = host.registry.makeGroup()
        self.validator = validator
        self.terms = terms
        self.parameters = parameters
        self.keeper = keeper
        self.isFoundedFirst = isFoundedFirst
    }

    // MARK: Events

    func nextEvent(isolation actor: isolated (any Actor)? = #isolation) async -> SessionEvent? {
        guard let next = await events.next(isolation: actor) else { return nil }
        next.receipt?.consume()
        if let peer = next.peer {
            state.withLock { state in
                let left = (state.untaken[peer] ?? 1) - 1
                state.untaken[peer] = left > 0 ? left : nil
            }
        }
        return next.event
    }

    func tell(_ event: SessionEvent, _ receipt: ReceiptedEvent? = nil) {
        let isTaken = events.push(WaitingEvent(event, receipt), cost: 0)
        // The session is over: nobody takes anything any more.
        if !isTaken { receipt?.consume() }
    }

    /// How many comings and goings of one peer may wait for the app. A peer that makes more of them is turned away.
    static let mostUntaken = 64

    /// Tells that a peer has come or gone. Returns false if too much of that waits.
    func tell(_ event: SessionEvent, of peer: IdentityKey) -> Bool {
        let count = state.withLock { state in
            state.untaken[peer, default: 0] += 1
            return state.untaken[peer] ?? 0
        }
        events.push(WaitingEvent(event, of: peer), cost: 0)
        return count <= Self.mostUntaken
    }

    /// Nothing more happens.
    func finish() {
        let members = state.withLock { state in
            state.isOver = true
            defer { state.members = [:] }
            return Array(state.members.values)
        }
        for member in members { member.transfers.finish() }
        invitations.finish()
        departure.finish()
        events.finish()
    }

    // MARK: Leaving

    /// Neighbours have heard that the local peer has left.
    func hasLeft() { departure.push((), cost: 0) }

    /// Waits until they have, or the session is over for another reason.
    func waitForDeparture() async { _ = await departure.next() }

    // MARK: What it is

    var id: SessionID? { state.withLock { $0.id } }
    var isOver: Bool { state.withLock { $0.isOver } }

    /// It is this session of the node from now on.
    func become(_ id: SessionID) { state.withLock { $0.id = id } }

    var handlers: InvitationHandlers? { state.withLock { $0.handlers } }

    func begin(_ listener: LinkListener, _ handlers: InvitationHandlers) {
        state.withLock { state in
            state.listeners.append(listener)
            state.handlers = handlers
        }
    }

    var listeners: [LinkListener] { state.withLock { $0.listeners } }

    func takeListeners() -> [LinkListener] {
        state.withLock { state in
            defer { (state.listeners, state.handlers) = ([], nil) }
            return state.listeners
        }
    }

    // MARK: Members

    var members: [ConnectedMember] { mapMembers { $0 } }

    func mapMembers<Result: Sendable>(_ body: (ConnectedMember) -> Result) -> [Result] {
        state.withLock { state in state.members.values.map(body) }
    }

    func member(_ key: IdentityKey) -> ConnectedMember? { state.withLock { $0.members[key] } }

    /// A link to a member is open. Returns whether the member was not connected before.
    func add(_ member: ConnectedMember) -> Bool {
        let (before, isOver) = state.withLock { state in
            let key = member.member.id.key
            state.connecting[key] = nil
            state.accepted[key] = nil
            state.reasons[key] = nil
            state.reconnecting.remove(key)
            guard !state.isOver else { return (ConnectedMember?.none, true) }
            return (state.members.updateValue(member, forKey: key), false)
        }
        before?.transfers.finish()
        return before == nil && !isOver
    }

    /// People have verified the key of a member. Returns the member, if it is connected over that link.
    func verified(_ key: IdentityKey, on link: LinkNumber, by verification: KeyVerification) -> ConnectedMember? {
        change(memberOn: link) {
            $0.member.id.key == key ? $0.changed(member: $0.member.verified(by: verification)) : nil
        }
    }

    /// The link of a member is in another session of the node, in which its departure will be reported.
    func noteMove(of link: LinkNumber, into session: SessionID) {
        _ = change(memberOn: link) { $0.changed(session: session) }
    }

    /// The link of a member is continued by another one. Returns the member.
    func noteContinuation(of link: LinkNumber, by next: LinkNumber) -> ConnectedMember? {
        change(memberOn: link) { $0.changed(link: next) }
    }

    /// Something is known anew of the member that is connected over a link. Returns it; nil if there is none, or nothing new.
    private func change(
        memberOn link: LinkNumber, _ body: (ConnectedMember) -> ConnectedMember?
    ) -> ConnectedMember? {
        state.withLock { state in
            guard let (key, member) = state.members.first(where: { $0.value.link == link }), let changed = body(member)
            else { return nil }
            state.members[key] = changed
            return changed
        }
    }

    /// The link to a member is lost, and another one may continue it. Returns the member, if it was connected over that link.
    func reconnecting(_ key: IdentityKey, over link: LinkNumber) -> Member? {
        state.withLock { state in
            guard let member = state.members[key], member.link == link else { return nil }
            state.reconnecting.insert(key)
            return member.member
        }
    }

    /// A member is connected again over a link that continues the one before; nil if it is none of these. The app hears of it if it has heard
    /// of the loss.
    func reconnected(_ key: IdentityKey, over link: LinkNumber) -> (member: ConnectedMember, wasLost: Bool)? {
        state.withLock { state in
            guard let member = state.members[key], member.link == link else { return nil }
            return (member, state.reconnecting.remove(key) != nil)
        }
    }

    /// The connection to a member has ended, and no other one takes its place.
    func remove(_ key: IdentityKey, _ departure: Departure, _ end: LinkEnd) -> (ConnectedMember?, DisconnectReason) {
        state.withLock { state in
            let member = state.members.removeValue(forKey: key)
            state.reconnecting.remove(key)
            // The link is over, so its counts are final, whether or not the task of its events has come to its end.
            let undelivered = member?.connection.undelivered ?? UndeliveredMessages()
            let reason = DisconnectReason(departure: departure, end: end, undelivered: undelivered)
            state.connecting[key] = nil
            state.accepted[key] = nil
            state.note(reason, for: key)
            return (member, reason)
        }
    }

    /// A member's link has ended. What did not arrive is reported with the departure (``remove(_:_:_:)``), or now if the member is
    /// connected over another link.
    func noteUndelivered(_ undelivered: UndeliveredMessages, by member: ConnectedMember) {
        guard !undelivered.isEmpty else { return }
        let isReplaced = state.withLock { state in
            state.members[member.member.id.key].map { $0.connection !== member.connection } ?? false
        }
        if isReplaced { tell(.warning(.undelivered(member.member.id, undelivered))) }
    }

    /// A connection is being made. Returns whether that is new.
    func noteConnecting(_ peer: PeerID) -> Bool {
        state.withLock { state in
            guard state.members[peer.key] == nil else { return false }
            return state.connecting.updateValue(peer, forKey: peer.key) == nil
        }
    }

    /// No connection is being made any more. Returns whether the app has heard of it.
    func takeConnecting(_ key: IdentityKey) -> PeerID? { state.withLock { $0.connecting.removeValue(forKey: key) } }

    /// The app has accepted the peer's invitation: it hears if nothing comes of it.
    func noteAccepted(_ peer: PeerID) { state.withLock { $0.accepted[peer.key] = peer } }

    /// The peer whose invitation the app has accepted, if it is not connected yet.
    func takeAccepted(_ key: IdentityKey) -> PeerID? { state.withLock { $0.accepted.removeValue(forKey: key) } }

    func connectionState(of key: IdentityKey) -> ConnectionState {
        state.withLock { state in
            if state.members[key] != nil { return state.reconnecting.contains(key) ? .reconnecting : .connected }
            if state.connecting[key] != nil { return .connecting }
            return .notConnected(state.reasons[key])
        }
    }
}
