import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerTerminal

/// The question whether a peer is the one that is meant, although it calls itself otherwise than it was advertised: anybody can advertise
/// anybody's tag under any name. The peer is not invited before the answer.
struct NameQuestion: Sendable {
    let output: Output
    private static let turns = Turns()

    /// Asks the person at the terminal; without one the peer is not meant.
    func isMeant(_ peer: PeerID, as found: NearbyPeer) async -> Bool {
        guard LineInput.isPossible, !output.isJSON else { return false }
        // Several peers may be connected at a time, and the person answers one question after the other.
        return await Self.turns.take { await ask(peer, as: found) }
    }

    private func ask(_ peer: PeerID, as found: NearbyPeer) async -> Bool {
        let name = SafeText.escape(peer.shownName)
        output.note { palette in
            palette.yellow("The peer that is advertised as \(found.name) calls itself \(name).")
                + "\n  peer ID \(peer.key)"
        }
        let question =
            "Continue with \(OffersQuestion.cut(name)) "
            + "\(OffersQuestion.marks(peer.key, isKnown: false))? [y/N] "
        let line = await LineInput(on: output.screen).line(question)
        return ["y", "yes"].contains(line?.lowercased())
    }
}
