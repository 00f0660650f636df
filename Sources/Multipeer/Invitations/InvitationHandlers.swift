import MultipeerCrypto

/// How a listening session answers.
struct InvitationHandlers: Sendable {
    /// Answers an invitation to a session of the app; nil if the peer waits no longer.
    let answer: @Sendable (InvitationDetails, SessionCore) async -> InvitationAnswer.Value?
    /// Whether peers that ask to be invited are asked about as well.
    let takesVisits: Bool
    /// Whether `answer` may ask a person, who must not be asked without end (``VisitLimit``).
    let asksPerson: Bool

    /// The app takes the invitations as a sequence.
    init(_ invitations: WaitingInvitations) {
        answer = { (invitation, _) in await invitations.ask(invitation) }
        (takesVisits, asksPerson) = (true, true)
    }

    /// - Parameters:
    ///   - refusal: Why the local peer does not join the session of a peer that invites; nil if it does.
    ///   - admits: Whether a peer that asks to be invited is; nil if nobody is.
    init(
        refusal: @escaping @Sendable (InvitationDetails) async -> InvitationRefusal?,
        admits: (@Sendable (PeerID) async -> Bool)?, asksPerson: Bool
    ) {
        answer = { (invitation, session) in
            let reason: InvitationRefusal?
            if invitation.asksToJoin {
                reason = await admits?(invitation.peer) == true ? nil : .declined
            } else {
                reason = await refusal(invitation)
            }
            return reason.map { .declined($0.reason) } ?? .accepted(Acceptance(session: session))
        }
        (takesVisits, self.asksPerson) = (admits != nil, asksPerson)
    }
}
