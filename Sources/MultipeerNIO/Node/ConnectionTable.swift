import MultipeerCore
import NIOCore

/// The links of a node, on its event loop.
final class ConnectionTable {
    /// What drives the links whose transports are open.
    private(set) var handlers: [LinkNumber: LinkHandler] = [:]
    /// The connections of these, and of lost links that others may continue (SPEC §13.9).
    private var connections: [LinkNumber: LinkConnection] = [:]

    subscript(link: LinkNumber) -> LinkConnection? { connections[link] }

    func add(_ connection: LinkConnection, as link: LinkNumber) {
        connections[link] = connection
        handlers[link] = connection.carrier.value.handler
    }

    /// The transport of a link is closed.
    func transportClosed(_ link: LinkNumber) {
        handlers[link] = nil
        if connections[link]?.carrier.value.state.isReconnecting != true { connections[link] = nil }
    }

    /// What the node reports of its links.
    func note(_ effect: NodeEffect) {
        switch effect {
        case .reconnecting(_, _, let link): connections[link]?.carrier.value.suspend()
        case .resumed(let earlier, by: let link):
            guard let connection = connections.removeValue(forKey: earlier), let next = connections[link] else {
                return
            }
            connection.carrier.value.takeOver(next.carrier.value)
            connections[link] = connection
        case .closed(let link, _):
            connections[link]?.carrier.value.end()
            if handlers[link] == nil { connections[link] = nil }
        default: break
        }
    }
}
