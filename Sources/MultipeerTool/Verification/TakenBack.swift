import Multipeer
import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

extension DisconnectReason {
    /// Whether the remote person has compared the strings, and says that they differ.
    var isDenial: Bool {
        if case .failed(let failure) = end { failure.cause == .peerClosed(.stringsDiffer) } else { false }
    }
}

extension Comparison {
    /// The person says that the strings are the same. Returns what takes that back.
    func confirmForNow(by own: Peer) async throws(MultipeerError) -> TakingBack {
        let entry = await own.entry(of: member.id.key)
        try await confirm()
        return TakingBack(own: own, peer: member.id, entry: entry)
    }
}

/// What was known of a peer before a person has said that its key is right.
struct TakingBack: Sendable {
    let own: Peer
    let peer: PeerID
    let entry: KnownPeer?

    /// The remote person says that the strings differ. Returns what is printed for people.
    func run() async -> String {
        let name = SafeText.escape(peer.shownName)
        do throws(KnownPeersStoreFailure) {
            try await own.restore(entry, of: peer.key)
            return
                "the remote person says that the strings differ: the key of \(name) does not count as verified any more"
        } catch {
            return "the remote person says that the strings differ, and the store cannot be changed: "
                + "multipeer peers forget \(peer.key)"
        }
    }
}
