import MultipeerCrypto

/// How a listening session answers.
struct InvitationHandlers: Sendable {
    /// Whether this side joins the session of who invites.
    let accepts: @Sendable (Invitation) async -> Bool
    /// Whether a peer that asks to be invited is.
    let admits: (@Sendable (PeerID) async -> Bool)?
    /// Whether `admits` may ask a person, who must not be asked without end (``VisitLimit``).
    let asksPerson: Bool
}
