import Multipeer
import MultipeerCertificates
import MultipeerCrypto
import MultipeerNIO
import MultipeerTerminal
import MultipeerWire

/// The question whether to take a file or folder.
struct OfferQuestion: Question {
    let offer: OfferedFile
    /// The sender.
    let caller: Caller
    /// Other peers that are remembered under the sender's name, or one that looks like it.
    let namesakes: [KnownPeer]
    let label = ""

    /// Whether the sender was met before.
    var isKnown: Bool { caller.isKnown }
    var peer: PeerID { offer.member.id }

    private var sender: String { SafeText.escape(offer.member.name) }

    var text: String {
        """
        \(Self.cut(sender)) (\(isKnown ? "known" : "new")) wants to send \(SafeText.escape(offer.localName))\
        \(offer.kind == .folder ? "/" : ""), \(ByteCount.text(offer.size))
          peer ID \(peer.key)
        """ + others + (offer.localName.hasPrefix(".") ? Self.warning : "")
    }

    /// That the name is not the sender's alone. Whose it is, the person knows.
    private var others: String {
        guard !isKnown, let first = namesakes.first else { return "" }
        let more = namesakes.count > 1 ? ", and \(namesakes.count - 1) more" : ""
        return
            "\n  somebody else is remembered as \(Self.cut(SafeText.escape(first.name.description))): \(first.key)\(more)"
    }

    /// R15.5-3
    private static let warning =
        "\n  The name begins with a dot: folders do not show it, and programs may read it without being asked."

    var lastLine: String {
        "Take \(Self.cut(SafeText.escape(offer.localName)))? \(isKnown ? "[y/N/always]" : "[y/N]") "
    }

    /// *Always* is no answer about somebody who is new: a person knows a peer once something of it was taken, or its key was verified.
    func reply(to line: String?) -> InvitationReply {
        switch line?.lowercased() {
        case "y", "yes": .accepted
        case "always" where isKnown: .always
        default: .declined
        }
    }
}
