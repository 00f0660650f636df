package import Multipeer

/// The reply to an invitation.
package enum InvitationReply: Sendable {
    case accepted
    /// Accepted, as everything of this kind that the peer offers later.
    case always
    case declined
    /// Nobody answered in time.
    case unanswered
    /// Too many questions wait already.
    case crowded
    /// The inviter has gone.
    case withdrawn
}

extension InvitationReply {
    /// Whether the peer is let in, or what it offers is taken.
    package var isAccepted: Bool {
        switch self {
        case .accepted, .always: true
        case .declined, .unanswered, .crowded, .withdrawn: false
        }
    }

    /// What a peer hears that is not let in; nil for one that is.
    package var refusal: InvitationRefusal? {
        switch self {
        case .accepted, .always: nil
        case .declined: .declined
        case .unanswered: .unanswered
        case .crowded, .withdrawn: .busy
        }
    }
}
