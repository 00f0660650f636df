import Multipeer
import MultipeerCertificates
import MultipeerCrypto
import MultipeerNIO
import MultipeerTerminal

/// A result of a command that is not about one link.
enum CommandEvent: Report {
    case identity(PeerID, path: String, IdentityChange)
    case certificate(CertificateResult)
    /// Without a command for the remote peer, nobody who comes is let in.
    case listening(Endpoint, PeerID, isEphemeral: Bool, OtherSide?)
    case connecting(Endpoint, PeerID, isEphemeral: Bool)

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

    /// What the remote peer runs.
    enum OtherSide: Sendable {
        case connect, chat

        /// The command as it can be pasted.
        fileprivate func command(_ endpoint: Endpoint, _ peer: PeerID) -> String {
            switch self {
            case .connect: "multipeer connect \(endpoint.shellWord) --expect \(peer.key)"
            case .chat: "multipeer chat \(endpoint.shellWord)"
            }
        }
    }

    var members: [(String, JSON)] {
        switch self {
        case .identity(let peer, let path, _):
            [("event", .string("identity"))] + Self.peer(peer) + [("path", .string(path))]
        case .certificate(let result): result.members
        case .listening(let endpoint, let peer, let isEphemeral, _):
            Self.endpoint("listening", endpoint) + Self.peer(peer) + [("ephemeral", .boolean(isEphemeral))]
        case .connecting(let endpoint, let peer, let isEphemeral):
            Self.endpoint("connecting", endpoint) + Self.peer(peer) + [("ephemeral", .boolean(isEphemeral))]
        }
    }

    private static func endpoint(_ event: String, _ endpoint: Endpoint) -> [(String, JSON)] {
        var members: [(String, JSON)] = [("event", .string(event)), ("address", .string(endpoint.description))]
        if case .tcp(_, let port) = endpoint { members.append(("port", .integer(UInt64(clamping: port)))) }
        return members
    }

    private static func peer(_ peer: PeerID) -> [(String, JSON)] {
        [("peer", .string(peer.key.description)), ("name", peer.jsonName)]
    }

    func details(_ palette: Palette) -> String {
        switch self {
        case .listening(_, let peer, _, _), .connecting(_, let peer, _): palette.dim("\n  peer ID \(peer.key)")
        case .identity, .certificate: ""
        }
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
        case .listening(let endpoint, let peer, _, let otherSide):
            "listening at \(SafeText.escape(endpoint.description)) as \(peer.text(palette))"
                + (otherSide.map { side in
                    "; the peer runs"
                        + endpoint.reachable.map { "\n  " + palette.bold(side.command($0, peer)) }.joined()
                } ?? "")
        case .connecting(let endpoint, let peer, _):
            "connecting to \(SafeText.escape(endpoint.description)) as \(peer.text(palette))"
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
