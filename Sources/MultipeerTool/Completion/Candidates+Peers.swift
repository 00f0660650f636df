import ArgumentParser
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDiscovery

extension CompletionKind {
    /// Peers that are remembered: a name, or the peer ID.
    static var knownPeer: CompletionKind { .custom(Candidates.peers) }
    /// Both, for a command that takes either.
    static var knownPeerOrAddress: CompletionKind { .custom(Candidates.peersAndAddresses) }
    /// Interfaces of this host.
    static var networkInterface: CompletionKind { .custom(Candidates.interfaces) }
}

extension Candidates {
    @Sendable static func peers(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        let peers = await known(words)
        let names = peers.map { ($0.label ?? $0.name).description }
        return offered(
            zip(peers, names).map { peer, name in
                let isUnique = names.count { $0 == name } == 1
                return isUnique && isHarmless(name) ? name : peer.key.description
            })
    }

    @Sendable static func peersAndAddresses(_ words: [String], _ index: Int, _ prefix: String) async -> [String] {
        await peers(words, index, prefix) + addresses(words, index, prefix)
    }

    @Sendable static func interfaces(_ words: [String], _ index: Int, _ prefix: String) -> [String] {
        offered(NetworkInterface.all().map(\.name).filter { isHarmless($0) })
    }
}
