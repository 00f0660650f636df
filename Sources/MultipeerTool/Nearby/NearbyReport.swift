import Multipeer
import MultipeerCrypto
import MultipeerDiscovery

/// What happens nearby, as `multipeer nearby` tells it.
enum NearbyReport: Report {
    case found(NearbyPeer)
    case changed(NearbyPeer)
    case lost(NearbyPeer)
    /// This side is advertised under a name.
    case advertised(name: String, PeerID, port: Int)

    var members: [(String, JSON)] {
        switch self {
        case .found(let peer): Self.members("peerFound", peer)
        case .changed(let peer): Self.members("peerChanged", peer)
        case .lost(let peer): [("event", .string("peerLost")), ("tag", .string(peer.id.description)), Self.name(peer)]
        case .advertised(let name, let peer, let port):
            [
                ("event", .string("advertised")), ("advertisedName", .string(name)),
                ("peer", .string(peer.key.description)), ("port", .integer(UInt64(clamping: port))),
            ]
        }
    }

    private static func members(_ event: String, _ peer: NearbyPeer) -> [(String, JSON)] {
        [
            ("event", .string(event)), ("tag", .string(peer.id.description)), name(peer),
            ("private", .boolean(peer.isPrivate)),
            ("knownPeer", peer.known.map { .string($0.key.description) } ?? .null),
            ("addresses", .array(peer.addresses.map { .string($0) })),
            ("info", .object(peer.info.pairs.map { ($0.key, .string($0.value)) })),
        ]
    }

    private static func name(_ peer: NearbyPeer) -> (String, JSON) {
        ("name", peer.displayName.map { .string($0.description) } ?? .null)
    }

    func text(_ palette: Palette) -> String {
        switch self {
        case .found(let peer), .changed(let peer): NearbyTable.row(peer, columns: nil, palette)
        case .lost(let peer): palette.yellow("\(peer.name) is gone")
        case .advertised(let name, let peer, let port):
            palette.dim("advertised as \(SafeText.escape(name)), key \(peer.key.description.prefix(16))…, port \(port)")
        }
    }
}

/// The peers nearby as people see them.
enum NearbyTable {
    /// One peer in one line: name, tag, known or not, where, and what its app says.
    static func row(_ peer: NearbyPeer, columns: Int?, _ palette: Palette) -> String {
        let name = padded(String(peer.name.prefix(24)), 24)
        let known = peer.known == nil ? padded("new", 5) : "known"
        let places = peer.addresses.prefix(2).joined(separator: " ") + (peer.addresses.count > 2 ? " …" : "")
        let info = peer.info.pairs.map { SafeText.escape("\($0.key)=\($0.value)") }.joined(separator: " ")
        let line = "\(name)  \(peer.id)  \(known)  \(places)" + (info.isEmpty ? "" : "  \(info)")
        return columns.map { String(line.prefix(max(20, $0 - 1))) } ?? line
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}
