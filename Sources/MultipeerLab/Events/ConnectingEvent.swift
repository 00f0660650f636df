import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerNIO
import MultipeerTerminal

/// Where a command connects to, and as whom.
struct ConnectingEvent: Report {
    let endpoint: Endpoint
    let peer: PeerID
    let isEphemeral: Bool

    var members: [(String, JSON)] { ListeningEvent.members("connecting", endpoint, peer, isEphemeral: isEphemeral) }

    func details(_ palette: Palette) -> String { palette.dim("\n  peer ID \(peer.key)") }

    func text(_ palette: Palette) -> String {
        "connecting to \(SafeText.escape(endpoint.description)) as \(peer.text(palette))"
    }
}
