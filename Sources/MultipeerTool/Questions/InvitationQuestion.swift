import Multipeer
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO

/// The question whether to accept an invitation.
struct InvitationQuestion: Question {
    let invitation: ReceivedInvitation
    let peer: PeerID
    let caller: Caller
    /// Tells people which link it is about.
    let label: String

    /// Nil for a peer that shows its name to others only.
    private var name: String? { peer.displayName.map { SafeText.escape($0.description) } }

    /// The inviter, and what it invites to. The last line follows it.
    var text: String {
        """
        \(label)\(name ?? "A peer without a name") \(marks) invites you.
          peer ID \(peer.key)
          \(invitation.text)
        """
    }

    /// The line after which the answer is typed. It must fit into one line of the terminal.
    var lastLine: String {
        let name = name ?? "a peer without a name"
        return "\(label)Accept \(Self.cut(name)) \(marks)? [y/N] "
    }

    private var marks: String { Self.marks(peer.key, isKnown: caller.isKnown) }
}

/// The reply to an invitation.
enum InvitationReply: Sendable {
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
    var isAccepted: Bool {
        switch self {
        case .accepted, .always: true
        case .declined, .unanswered, .crowded, .withdrawn: false
        }
    }

    /// What a peer hears that is not let in; nil for one that is.
    var refusal: InvitationRefusal? {
        switch self {
        case .accepted, .always: nil
        case .declined: .declined
        case .unanswered: .unanswered
        case .crowded, .withdrawn: .busy
        }
    }
}
