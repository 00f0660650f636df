import Multipeer
import MultipeerCommandLine
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
