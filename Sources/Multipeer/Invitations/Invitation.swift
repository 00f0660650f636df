import MultipeerCore
public import MultipeerCrypto

/// A peer that invites the local peer to its session, or that asks to be invited to one of the local peer's. The app answers once.
///
/// An invitation that nobody keeps is declined.
public final class Invitation: Sendable {
    /// The remote peer. The key is proved; the name proves nothing.
    public var peer: PeerID { details.peer }
    /// What the peer's app says, at most 16,384 bytes. Empty if the peer asks to join.
    public var context: [UInt8] { details.context }
    /// How long the peer waits for the answer.
    public var timeout: Duration { details.timeout }
    /// Whether the session that the local peer is invited to is a new one, of the inviting peer alone.
    public var isNewSession: Bool { details.isNewSession }
    /// Whether the peer asks to be invited (``Session/join(_:expecting:)``), rather than invites.
    public var asksToJoin: Bool { details.asksToJoin }
    /// Where it comes from, for callers that have bounded places for senders.
    package var caller: Caller { details.caller }
    private let details: InvitationDetails
    let answer = InvitationAnswer()

    init(_ details: InvitationDetails) { self.details = details }

    deinit { answer.give(.declined(.declined)) }

    /// What people read: the peer's name, or its key's digits, safe to print. Nobody has verified it yet.
    public var name: String { SafeText.escape(peer.shownName) }

    /// The context as one line that is safe to print.
    public var contextText: String { SafeText.message(context) }

    /// Becomes connected with the peer in `session`. The events of `session` report when that has happened.
    /// - Returns: False if the invitation was answered before, or the peer waits no longer.
    @discardableResult
    public func accept(into session: Session) -> Bool { answer.give(.accepted(Acceptance(session: session.core))) }

    /// Accepts, and returns when the peer is connected.
    ///
    /// A session that has members stays with them: it unites with the one that the peer invites to.
    /// - Throws: ``MultipeerError``, with the code `closed` also if the invitation was answered before, or the peer waits no longer.
    @discardableResult
    public func join(_ session: Session) async throws(MultipeerError) -> Member {
        let attempt = LinkAttempt(session.core, .joining, expecting: peer.key)
        guard answer.give(.accepted(Acceptance(session: session.core, attempt: attempt))) else {
            throw .connection(.closed)
        }
        guard let outcome = await attempt.wait() else { throw .connection(.cancelled) }
        return try outcome.get()
    }

    /// Declines.
    /// - Parameter reason: What the peer hears.
    public func decline(_ reason: InvitationRefusal = .declined) { answer.give(.declined(reason.reason)) }

    /// Waits until the peer waits no longer, so that nobody is asked about the invitation any more. Returns false if it is answered
    /// before, or the task is cancelled. One task may wait.
    public func waitForWithdrawal() async -> Bool { await answer.waitForWithdrawal() }
}

/// What a peer wants of the local peer.
package struct InvitationDetails: Sendable {
    package let peer: PeerID
    package let caller: Caller
    package let context: [UInt8]
    package let timeout: Duration
    package let isNewSession: Bool
    package let asksToJoin: Bool

    init(_ received: ReceivedInvitation, from caller: Caller, named peer: PeerID) {
        (self.peer, self.caller) = (peer, caller)
        (context, timeout) = (received.context, received.timeout)
        (isNewSession, asksToJoin) = (received.isNewSession, false)
    }

    /// Creates what is told of a peer that has come and waits to be invited.
    init(asking caller: Caller, named peer: PeerID, for timeout: Duration) {
        (self.peer, self.caller) = (peer, caller)
        (context, self.timeout) = ([], timeout)
        (isNewSession, asksToJoin) = (false, true)
    }
}

/// Why an invitation is not accepted, as the peer hears (SPEC §8.4).
public enum InvitationRefusal: Hashable, Sendable {
    /// A person, or a rule of the app, does not want it.
    case declined
    /// Nobody has answered the question about it in time.
    case unanswered
    /// Nobody can be asked about it now. The peer may invite again later.
    case busy

    var reason: DeclineReason {
        switch self {
        case .declined: .declined
        case .unanswered: .noAnswer
        case .busy: .busy
        }
    }
}

/// The invitations to an advertiser or a session, each once, to the first iterator that asks.
///
/// At most 16 wait for their answers, and others are declined: two of one peer, and of peers that were not met before 12 in all, 8 of one
/// IPv6 network (/64) and 4 of one address. An invitation that the app never takes ends when its peer waits no longer.
public struct Invitations: AsyncSequence, Sendable {
    let waiting: WaitingInvitations
    /// What listens, which lives as long as somebody takes its invitations.
    let owner: any AnyObject & Sendable

    public func makeAsyncIterator() -> Iterator { Iterator(waiting: waiting, owner: owner) }

    /// An iterator over the invitations.
    public struct Iterator: AsyncIteratorProtocol {
        let waiting: WaitingInvitations
        let owner: any AnyObject & Sendable

        /// Returns the next invitation; nil if the session was left, or the task is cancelled.
        public mutating func next() async -> Invitation? { await waiting.next() }
    }
}
