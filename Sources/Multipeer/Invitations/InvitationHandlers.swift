import MultipeerCore
import MultipeerCrypto

/// How a listening session answers.
struct InvitationHandlers: Sendable {
    /// Why the local peer does not join the session of the peer that invites; nil if it does.
    let refusal: @Sendable (Invitation) async -> InvitationRefusal?
    /// Whether a peer that asks to be invited is.
    let admits: (@Sendable (PeerID) async -> Bool)?
    /// Whether `admits` may ask a person, who must not be asked without end (``VisitLimit``).
    let asksPerson: Bool
}

/// Why an invitation is not accepted, as the peer hears (SPEC §8.4).
package enum InvitationRefusal: Hashable, Sendable {
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
