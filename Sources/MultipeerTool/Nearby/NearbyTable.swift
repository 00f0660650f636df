import Multipeer
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerTerminal

/// The peers nearby as people see them.
struct NearbyTable {
    /// Whether whole keys are shown.
    let showsKeys: Bool

    /// One peer in one line: name, tag, new, known or verified, where, and what its app says.
    static func row(_ peer: NearbyPeer) -> StyledLine {
        var line = StyledLine(peer.name, columns: 24)
        line.add(peer.id.description, columns: 16)
        line.add(state(peer).text, columns: 8, state(peer).style)
        line.add(places(peer) + names(peer))
        let info = info(peer)
        if !info.isEmpty { line.add("  " + info) }
        return line
    }

    /// All of them under headings, or that there is nobody.
    func lines(_ peers: [NearbyPeer]) -> [StyledLine] {
        guard !peers.isEmpty else { return [StyledLine("nobody is nearby, as far as is known by now", .dim)] }
        // A key is shown whole or not at all.
        var table = Table(
            ["NAME", "TAG", "ITS KEY"] + (showsKeys ? ["PEER ID"] : []) + ["INFO", "ADDRESS"], widest: 64)
        for peer in peers.sorted(by: { ($0.name, $0.id.description) < ($1.name, $1.id.description) }) {
            let key: [(String, Style)] = showsKeys ? [(peer.known?.key.description ?? "", .dim)] : []
            table.add(
                [(DisplayWidth.cut(peer.name, to: 24), .bold), (peer.id.description, .plain), Self.state(peer)] + key
                    + [
                        (DisplayWidth.cut(Self.info(peer), to: 32), .plain),
                        (Self.places(peer) + Self.names(peer), .dim),
                    ])
        }
        return table.lines
    }

    /// Whether the advertised tag is that of a key which was met before, and which people have verified. That the peer has the key is
    /// proved when it is connected.
    private static func state(_ peer: NearbyPeer) -> (text: String, style: Style) {
        guard peer.known != nil else { return ("new", .yellow) }
        return peer.verification == nil ? ("known", .plain) : ("verified", .green)
    }

    private static func places(_ peer: NearbyPeer) -> String {
        peer.addresses.prefix(2).map(\.description).joined(separator: " ") + (peer.addresses.count > 2 ? " …" : "")
    }

    /// What else the peer calls itself, or is called. Anybody on the network can say it.
    private static func names(_ peer: NearbyPeer) -> String {
        let own = peer.advertisedName.map { "  calls itself \(SafeText.escape($0.description))" } ?? ""
        let others = peer.conflictingNames.map { SafeText.escape($0.description) }.sorted()
        return own + (others.isEmpty ? "" : "  also advertised as \(others.prefix(4).joined(separator: ", "))")
    }

    private static func info(_ peer: NearbyPeer) -> String {
        peer.info.pairs.map { SafeText.escape("\($0.key)=\($0.value)") }.joined(separator: " ")
    }
}
