import Multipeer
import MultipeerCrypto
import MultipeerNIO
import MultipeerTerminal
import MultipeerWire

/// The question whether to take a file or folder.
struct OfferQuestion: Question {
    let offer: OfferedFile
    /// Whether the sender was met before.
    let isKnown: Bool
    /// The sender's address.
    let address: AddressKey?
    let label = ""

    var peer: PeerID { offer.member.id }

    private var sender: String { SafeText.escape(offer.member.name) }

    var text: String {
        """
        \(Self.cut(sender)) (\(isKnown ? "known" : "new")) wants to send \(SafeText.escape(offer.localName))\
        \(offer.kind == .folder ? "/" : ""), \(ByteCount.text(offer.size))
          peer ID \(peer.key)
        """ + (offer.localName.hasPrefix(".") ? Self.warning : "")
    }

    /// R15.5-3
    private static let warning =
        "\n  The name begins with a dot: folders do not show it, and programs may read it without being asked."

    var lastLine: String { "Take \(Self.cut(SafeText.escape(offer.localName)))? [y/N] " }
}
