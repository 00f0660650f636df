public import MultipeerCore

/// What a ``NetworkNode`` reports.
public struct NodeEvent: Sendable {
    /// What happened.
    public let effect: NodeEffect
    /// The connection of a link that has opened. What has come over it since waits there, and what comes.
    public let connection: LinkConnection?

    init(_ effect: NodeEffect, _ connections: ConnectionTable) {
        self.effect = effect
        if case .connected(_, let link, _, _) = effect { connection = connections[link] } else { connection = nil }
    }
}
