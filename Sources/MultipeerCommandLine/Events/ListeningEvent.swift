import Multipeer
package import MultipeerCrypto
package import MultipeerNIO
package import MultipeerTerminal

/// Where a command listens, and as whom.
package struct ListeningEvent: Report {
    package let endpoint: Endpoint
    package let peer: PeerID
    package let isEphemeral: Bool
    /// What the remote person types for an address, as it can be pasted. Without it, nobody who comes is let in.
    package let remoteCommand: (@Sendable (Endpoint) -> String)?

    package init(
        _ endpoint: Endpoint, _ peer: PeerID, isEphemeral: Bool, remoteCommand: (@Sendable (Endpoint) -> String)?
    ) {
        self.endpoint = endpoint
        self.peer = peer
        self.isEphemeral = isEphemeral
        self.remoteCommand = remoteCommand
    }

    package var members: [(String, JSON)] { Self.members("listening", endpoint, peer, isEphemeral: isEphemeral) }

    /// An address, and the local peer that uses it.
    package static func members(
        _ event: String, _ endpoint: Endpoint, _ peer: PeerID, isEphemeral: Bool
    ) -> [(String, JSON)] {
        var members: [(String, JSON)] = [("event", .string(event)), ("address", .string(endpoint.description))]
        if case .tcp(_, let port) = endpoint { members.append(("port", .integer(UInt64(clamping: port)))) }
        return members + [
            ("peer", .string(peer.key.description)), ("name", peer.jsonName), ("ephemeral", .boolean(isEphemeral)),
        ]
    }

    package func details(_ palette: Palette) -> String { palette.dim("\n  peer ID \(peer.key)") }

    package func text(_ palette: Palette) -> String {
        "listening at \(SafeText.escape(endpoint.description)) as \(peer.text(palette))"
            + (remoteCommand.map { command in
                "; the peer runs" + endpoint.reachable.map { "\n  " + palette.bold(command($0)) }.joined()
            } ?? "")
    }
}
