import MultipeerDriver
import MultipeerWire
import Synchronization

/// An invitation to an advertiser, which waits for the app's answer. One that nobody keeps is declined.
public final class IncomingInvitation: Sendable {
    /// Who invites, and what for.
    public let invitation: Invitation
    /// Where it comes from, for whoever has bounded places for senders.
    package let caller: Caller
    let answer = InvitationAnswer()

    init(_ invitation: Invitation, from caller: Caller) {
        self.invitation = invitation
        self.caller = caller
    }

    deinit { answer.give(nil) }

    /// What people read: the peer's name, or its key's digits, safe to print. Nobody has verified it yet.
    public var name: String { SafeText.escape(invitation.name) }

    /// This side joins the peer's session, as `session`, whose events tell when the peer is connected.
    /// - Returns: False if the invitation was answered before, or the peer waits no longer.
    @discardableResult
    public func accept(into session: Session) -> Bool { answer.give(session.core) }

    /// Declines.
    public func decline() { answer.give(nil) }
}

/// The answer to an invitation, which is given once. It outlives the invitation, which the app may drop.
final class InvitationAnswer: Sendable {
    private let queue = AsyncQueue<SessionCore?>(watermarks: Watermarks(low: 0, high: .max))
    private let isOver = Mutex(false)

    /// Returns false if it was given before, or nobody waits for it any more.
    @discardableResult
    func give(_ session: SessionCore?) -> Bool {
        guard end() else { return false }
        queue.push(session, cost: 0)
        return true
    }

    /// Returns the session that is joined; nil if it is declined, or the task is cancelled.
    func wait() async -> SessionCore? {
        let answer = await queue.next() ?? nil
        _ = end()
        return answer
    }

    private func end() -> Bool {
        isOver.withLock { isOver in
            defer { isOver = true }
            return !isOver
        }
    }
}

/// The invitations that wait for an app. Their number is bounded, and nobody can take all places (``CallerPlaces``).
final class WaitingInvitations: Sendable {
    /// How many may wait for an answer. Whoever comes then is declined.
    private static let atOnce = 16

    /// What the app's sessions say of encryption, if that is the same for all; nil if only its answer tells.
    let encryption: EncryptionPreference?

    /// The app keeps what it was given; what it has not taken is kept here.
    private struct State {
        var untaken: [IncomingInvitation] = []
        var places = CallerPlaces(WaitingInvitations.atOnce)
        var isOver = false
    }

    private let state = Mutex(State())
    /// Wakes who waits.
    private let signal = Signal()

    init(encryption: EncryptionPreference?) { self.encryption = encryption }

    /// Asks the app, and returns which session it has joined; nil for none.
    func ask(_ invitation: Invitation, from caller: Caller) async -> SessionCore? {
        guard let answer = begin(IncomingInvitation(invitation, from: caller)) else { return nil }
        let session = await answer.wait()
        state.withLock { state in
            state.places.giveBack(caller)
            state.untaken.removeAll { $0.answer === answer }
        }
        return session
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

    /// Nobody is asked any more, and who waits is declined.
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
