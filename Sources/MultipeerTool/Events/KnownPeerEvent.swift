import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerTerminal

/// A peer that is remembered, or no longer (docs/command-line.md).
struct KnownPeerEvent: Report {
    enum Kind: String {
        case listed = "knownPeer"
        case forgotten, renamed
        /// Its files are always taken, or asked about again.
        case always, asked

        /// Stands before the name.
        fileprivate var words: String {
            switch self {
            case .listed: ""
            case .forgotten: "forgotten: "
            case .renamed: "renamed: "
            case .always: "always taken: "
            case .asked: "asked about: "
            }
        }
    }

    let kind: Kind
    let peer: KnownPeer
    /// Whether files of it are taken without a question.
    var isAlwaysTaken = false

    var members: [(String, JSON)] {
        [
            ("event", .string(kind.rawValue)), ("peer", .string(peer.key.description)),
            ("name", .string(peer.name.description)), ("label", Self.optional(peer.label)),
            ("certificate", Self.optional(peer.leafFingerprint)), ("address", Self.optional(peer.address)),
            ("verification", Self.optional(peer.verification?.rawValue)), ("always", .boolean(isAlwaysTaken)),
        ]
    }

    private static func optional(_ value: (some CustomStringConvertible)?) -> JSON {
        value.map { .string($0.description) } ?? .null
    }

    func text(_ palette: Palette) -> String {
        let name = peer.isNameless ? "a peer without a name" : SafeText.escape(peer.name.description)
        let own = peer.isNameless ? "has shown no name" : "calls itself \(name)"
        let title = peer.label.map { "\(palette.bold(SafeText.escape($0.description))) (\(own))" }
        var lines = [kind.words + (title ?? palette.bold(name))]
        lines.append("  peer ID     \(peer.key)")
        if let fingerprint = peer.leafFingerprint { lines.append("  certificate \(fingerprint)") }
        if let address = peer.address { lines.append("  address     \(SafeText.escape(address.description))") }
        if let verification = peer.verification { lines.append("  verified    \(verification.words)") }
        if isAlwaysTaken { lines.append("  files       always taken (multipeer peers ask \(peer.key) asks again)") }
        return lines.joined(separator: "\n")
    }
}
