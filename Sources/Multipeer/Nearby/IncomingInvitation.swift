import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerWire
import Synchronization

/// An invitation to an advertiser, which waits for the app's answer. One that nobody keeps is declined.
public final class IncomingInvitation: Sendable {
    /// The inviter, and what it invites for.
    public let invitation: Invitation
    /// Where it comes from, for callers that have bounded places for senders.
    package let caller: Caller
    let answer = InvitationAnswer()

    init(_ invitation: Invitation, from caller: Caller) {
        self.invitation = invitation
        self.caller = caller
    }

    deinit { answer.give(.declined(.declined)) }

    /// What people read: the peer's name, or its key's digits, safe to print. Nobody has verified it yet.
    public var name: String { SafeText.escape(invitation.name) }

    /// The local peer joins the peer's session, as `session`. The events of `session` report when the peer is
    /// connected.
    /// - Returns: False if the invitation was answered before, or the peer waits no longer.
    @discardableResult
    public func accept(into session: Session) -> Bool { answer.give(.joined(Acceptance(session: session.core))) }

    /// Accepts, and returns when the peer is connected.
    ///
    /// A session that has members does not leave them for the one that the peer invites to. Then the peer hears that
    /// the local peer is busy, and is invited to this session as soon as it asks to be
    /// (``Session/join(_:expecting:)``).
    /// - Throws: ``MultipeerError``, with the code `closed` also if the invitation was answered before, or the peer waits no longer.
    @discardableResult
    public func join(_ session: Session) async throws(MultipeerError) -> Member {
        let attempt = LinkAttempt(
            session.core, .joining, expecting: invitation.peer.key, timeout: invitation.timeout)
        guard answer.give(.joined(Acceptance(session: session.core, attempt: attempt))) else {
            throw .connection(.closed)
        }
        defer { session.peer.host.registry.forget(attempt) }
        guard let outcome = await attempt.wait() else { throw .connection(.cancelled) }
        return try outcome.get()
    }

    /// Declines.
    public func decline() { answer.give(.declined(.declined)) }

    /// Declines for now, because the local peer has no room. The peer is told so, and may try again.
    public func declineAsBusy() { answer.give(.declined(.busy)) }

    /// Declines because nobody has answered the question about it in time: the peer is told so.
    public func declineAsUnanswered() { answer.give(.declined(.noAnswer)) }
}

/// The local peer joins the session of a peer, as a session of the app.
struct Acceptance: Sendable {
    let session: SessionCore
    /// What the app waits for, if it does.
    var attempt: LinkAttempt?
}

/// The answer to an invitation, which is given once. It outlives the invitation, which the app may drop.
final class InvitationAnswer: Sendable {
    enum Value: Sendable {
        case joined(Acceptance)
        case declined(DeclineReason)
    }

    private struct State {
        var isOver = false
        /// What the app waits for.
        var attempt: LinkAttempt?
    }

    private let queue = AsyncQueue<Value>(watermarks: .unbounded)
    private let state = Mutex(State())

    /// Returns false if it was given before, or nobody waits for it any more.
    @discardableResult
    func give(_ value: Value) -> Bool {
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            state = State(isOver: true)
            if case .joined(let acceptance) = value { state.attempt = acceptance.attempt }
            return true
        }
        if isFirst { queue.push(value, cost: 0) }
        return isFirst
    }

    /// Returns the answer; nil if the task is cancelled.
    func wait() async -> Value? {
        let value = await queue.next()
        let attempt = state.withLock { state in
            state.isOver = true
            return state.attempt
        }
        // The answer may have come when nobody waited for it any more.
        if value == nil { attempt?.resolve(.failure(.connection(.closed))) }
        return value
    }
}

/// The invitations that wait for an app. Their number is bounded, and nobody can take all places (``CallerPlaces``).
final class WaitingInvitations: Sendable {
    /// How many may wait for an answer. A peer that comes then hears that the local peer is busy.
    private static let atOnce = 16

    /// What the app's sessions say of encryption, if that is the same for all; nil if only its answer shows it.
    let encryption: EncryptionPreference?

    /// The app keeps what it was given; what it has not taken is kept here.
    private struct State {
        var untaken: [IncomingInvitation] = []
        var places = CallerPlaces(WaitingInvitations.atOnce)
        var isOver = false
    }

    private let state = Mutex(State())
    /// Wakes the tasks that wait.
    private let signal = Signal()

    init(encryption: EncryptionPreference?) { self.encryption = encryption }

    /// Asks the app, and returns its answer; nil if the task is cancelled.
    func ask(_ invitation: Invitation, from caller: Caller) async -> InvitationAnswer.Value? {
        guard let answer = begin(IncomingInvitation(invitation, from: caller)) else { return .declined(.busy) }
        let value = await answer.wait()
        state.withLock { state in
            state.places.giveBack(caller)
            state.untaken.removeAll { $0.answer === answer }
        }
        return value
    }

    private func begin(_ incoming: IncomingInvitation) -> InvitationAnswer? {
        let isTaken = state.withLock { state in
            guard !state.isOver, state.places.take(incoming.caller) else { return false }
            state.untaken.append(incoming)
            return true
        }
        guard isTaken else { return nil }
        signal.set()
        return incoming.answer
    }

    /// Returns the next invitation; nil at the end, or if the task is cancelled.
    func next() async -> IncomingInvitation? {
        while !Task.isCancelled {
            if let next = state.withLock({ $0.untaken.isEmpty ? nil : $0.untaken.removeFirst() }) { return next }
            guard await signal.wait() else { return nil }
        }
        return nil
    }

    /// Nobody is asked any more, and a peer that waits is declined.
    func finish() {
        let untaken = state.withLock { state in
            state.isOver = true
            defer { state.untaken = [] }
            return state.untaken
        }
        for invitation in untaken { invitation.decline() }
        signal.finish()
    }
}
