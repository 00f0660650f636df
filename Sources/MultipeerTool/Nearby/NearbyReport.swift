import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerDiscovery
import MultipeerTerminal

/// What happens nearby, as `multipeer nearby` reports it.
enum NearbyReport: Report {
    case found(NearbyPeer)
    case changed(NearbyPeer)
    case lost(NearbyPeer)
    /// The local peer is advertised under a name, and a tag, which is what others see of it.
    case advertised(name: String, PeerID, tag: KeyTag, port: Int)

    var members: [(String, JSON)] {
        switch self {
        case .found(let peer): Self.members("peerFound", peer)
        case .changed(let peer): Self.members("peerChanged", peer)
        case .lost(let peer): [("event", .string("peerLost")), ("tag", .string(peer.id.description)), Self.name(peer)]
        case .advertised(let name, let peer, let tag, let port):
            [
                ("event", .string("advertised")), ("advertisedName", .string(name)),
                ("tag", .string(tag.description)), ("peer", .string(peer.key.description)),
                ("port", .integer(UInt64(clamping: port))),
            ]
        }
    }

    private static func members(_ event: String, _ peer: NearbyPeer) -> [(String, JSON)] {
        [
            ("event", .string(event)), ("tag", .string(peer.id.description)), name(peer),
            ("advertisedName", peer.found.name.map { .string($0.description) } ?? .null),
            ("otherNames", .array(peer.conflictingNames.map(\.description).sorted().map { .string($0) })),
            ("private", .boolean(peer.isPrivate)),
            ("knownPeer", peer.known.map { .string($0.key.description) } ?? .null),
            ("verification", peer.verification.map { .string($0.rawValue) } ?? .null),
            ("addresses", .array(peer.addresses.map { .string($0.description) })),
            ("info", .object(peer.info.pairs.map { ($0.key, .string($0.value)) })),
        ]
    }

    private static func name(_ peer: NearbyPeer) -> (String, JSON) {
        ("name", peer.displayName.map { .string($0.description) } ?? .null)
    }

    func details(_ palette: Palette) -> String {
        switch self {
        case .found(let peer), .changed(let peer): peer.known.map { palette.dim("  key \($0.key)") } ?? ""
        case .lost: ""
        case .advertised(_, let peer, _, _): palette.dim("\n  key \(peer.key)")
        }
    }

    func text(_ palette: Palette) -> String {
        switch self {
        case .found(let peer), .changed(let peer): NearbyTable.row(peer).text(columns: .max, palette)
        case .lost(let peer): palette.yellow("\(peer.name) is gone")
        case .advertised(let name, _, let tag, let port):
            palette.dim("advertised as \(SafeText.escape(name)), tag \(tag), port \(port)")
        }
    }
}
