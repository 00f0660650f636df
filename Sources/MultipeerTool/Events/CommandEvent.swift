import Multipeer
import MultipeerCertificates
import MultipeerCommandLine
import MultipeerCrypto
import MultipeerTerminal

/// A result of a command that is not about a peer.
enum CommandEvent: Report {
    case identity(PeerID, path: String, IdentityChange)
    case certificate(CertificateResult)

    /// What has become of an identity.
    enum IdentityChange: String, Sendable {
        case created, shown, renamed

        /// Stands before the name.
        fileprivate var words: String {
            switch self {
            case .created: "new identity: "
            case .shown: ""
            case .renamed: "renamed: "
            }
        }
    }

    var members: [(String, JSON)] {
        switch self {
        case .identity(let peer, let path, _):
            [("event", .string("identity"))] + Self.peer(peer) + [("path", .string(path))]
        case .certificate(let result): result.members
        }
    }

    private static func peer(_ peer: PeerID) -> [(String, JSON)] {
        [("peer", .string(peer.key.description)), ("name", peer.jsonName)]
    }

    func text(_ palette: Palette) -> String {
        switch self {
        case .identity(let peer, let path, let change):
            """
            \(change.words)\(palette.bold(SafeText.escape(peer.shownName)))
              peer ID \(peer.key)
              file    \(SafeText.escape(path))
            """
        case .certificate(let result): result.text(palette)
        }
    }
}

/// A certificate that was created or shown.
struct CertificateResult: Sendable {
    /// `authority` or `certificate`.
    let kind: String
    let name: String?
    let certificatePath: String
    let keyPath: String?
    let fingerprint: KeyFingerprint

    var members: [(String, JSON)] {
        [
            ("event", .string(kind)), ("name", name.map(JSON.string) ?? .null),
            ("certificate", .string(certificatePath)), ("key", keyPath.map(JSON.string) ?? .null),
            ("fingerprint", .string(fingerprint.description)),
        ]
    }

    func text(_ palette: Palette) -> String {
        let title = name.map { "\(kind) \(palette.bold(SafeText.escape($0)))\n" } ?? ""
        let key = keyPath.map { "  key         \(SafeText.escape($0))\n" } ?? ""
        return title + "  certificate \(SafeText.escape(certificatePath))\n" + key + "  fingerprint \(fingerprint)"
    }
}
