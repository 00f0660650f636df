public import MultipeerCertificates
import MultipeerCrypto
public import MultipeerWire

/// What the app asks for, and how it answers. A ``RequestError`` changes nothing. What comes at or after the deadline is
/// late, even where the driver's timer has not fired yet (R18-2): the deadline acts first.
extension Link {
    // MARK: Invitations

    /// Invites the peer (SPEC §8.2); as soon as it is identified, if it is not yet, or once the one-time code that is being tried
    /// was right.
    /// - Throws: ``RequestError/invalidInvitation``, ``RequestError/wrongStage(_:)``.
    public mutating func invite(_ invitation: OutgoingInvitation, at now: Instant) throws(RequestError) {
        let key = context.configuration.identity.identityKey
        guard invitation.isSendable(by: key, as: role) else { throw .invalidInvitation }
        begin(at: now)
        switch state.status.readinessToInvite {
        case .now: step(.invite(invitation))
        case .nowIfExpected where context.mayInviteEarly: step(.invite(invitation))
        case .nowIfExpected, .onceIdentified, .oncePaired:
            guard context.pendingInvitation == nil else { throw .wrongStage(stage) }
            context.pendingInvitation = invitation
        case .never: throw .wrongStage(stage)
        }
    }

    /// Takes the invitation back; the link ends. An invitation that has not gone out yet is never sent: one that waits
    /// for the peer to be identified or for a one-time code, or whose INVITE waits for room on the transport. CANCEL follows one that has (SPEC
    /// §8.5).
    /// - Throws: ``RequestError/wrongStage(_:)``.
    public mutating func cancelInvitation(at now: Instant) throws(RequestError) {
        begin(at: now)
        // A link that closes may still have the INVITE to send, before CLOSE: it is ending already.
        let isEnding = state.isOver || stage == .closing
        guard !isEnding, stage == .inviting || context.holdsUnsentInvitation else { throw .wrongStage(stage) }
        state.isNegotiating ? abandonHandshake(.noError) : step(.close)
    }

    /// Accepts an invitation. Where the preferences cannot be reconciled the link ends with a typed failure.
    /// - Throws: ``RequestError/staleToken``.
    public mutating func accept(
        _ token: LinkToken, with terms: SessionTerms, at now: Instant
    ) throws(RequestError) {
        try answer(.accept(terms), to: .invitation(token), at: now)
    }

    /// Declines an invitation; the link ends.
    /// - Throws: ``RequestError/staleToken``.
    public mutating func decline(
        _ token: LinkToken, _ reason: DeclineReason = .declined, at now: Instant
    ) throws(RequestError) {
        try answer(.decline(reason), to: .invitation(token), at: now)
    }

    // MARK: Certificates

    /// Gives the verdict on the peer. A late or a second one changes nothing (R10.5-1).
    /// - Throws: ``RequestError/staleToken``.
    public mutating func submitVerdict(
        _ verdict: Verdict, for token: LinkToken, at now: Instant
    ) throws(RequestError) {
        try answer(.verdict(verdict), to: .verdict(token), at: now)
    }

    // MARK: Closing

    /// Ends the link in good order: queued messages first, then CLOSE; a file under way is cancelled, an invitation
    /// withdrawn or declined. Closing twice changes nothing.
    public mutating func close(at now: Instant) {
        begin(at: now)
        state.isNegotiating ? abandonHandshake(.noError) : step(.close)
    }

    /// Ends the link at once with a code of SPEC §18 that says why, such as `shuttingDown` or `duplicateLink`. An open
    /// session is ``LinkEnd/finished(unsentMessages:)`` then; what is queued is not sent.
    public mutating func close(_ code: CloseCode, at now: Instant) {
        guard code != .noError else { return close(at: now) }
        begin(at: now)
        state.isNegotiating ? abandonHandshake(code) : step(.closeNow(code))
    }

    /// Ends the link because a local limit, which the link does not know, does not let it continue. The remote peer
    /// hears that the local peer failed for a reason of its own. A link that is over, or closes already, stays as it
    /// is.
    public mutating func fail(_ limit: LocalLimit, at now: Instant) {
        begin(at: now)
        guard stage != .closing else { return }
        fail(.limit(limit))
    }

    /// There are no keys to say goodbye with.
    private mutating func abandonHandshake(_ code: CloseCode) {
        let failure = LinkFailure(stage: .hello, cause: .invitation(InvitationEnd(closedWith: code)))
        end(.closedByApp(.failed(failure), code: code), at: .hello, over: nil)
    }

    // MARK: Helpers

    /// Hands an answer to the phase that waits for it.
    mutating func answer(
        _ input: PhaseInput, to question: LinkQuestion, at now: Instant
    ) throws(RequestError) {
        try requireOpen(question, at: now)
        step(input)
    }

    /// Refuses an answer that nobody waits for, before anything of it is looked at.
    mutating func requireOpen(_ question: LinkQuestion, at now: Instant) throws(RequestError) {
        begin(at: now)
        guard state.status.openQuestion == question else { throw .staleToken }
    }
}

extension InvitationEnd {
    /// What an app that closes a link with this code has done to the invitation.
    init(closedWith code: CloseCode) {
        self = code == .duplicateLink ? .superseded : .withdrawn
    }
}
