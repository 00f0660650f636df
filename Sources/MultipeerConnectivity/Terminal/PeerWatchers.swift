import Synchronization

/// The followers of the states of a session's peers beside its delegate: the list of an ``MCBrowserViewController``.
final class PeerWatchers: Sendable {
    /// Takes a state, and why it is that one, in the order in which they come.
    typealias Watcher = @Sendable (MCPeerID, MCSessionState, MCDisconnectReason?) -> Void

    private let watchers = Mutex<[ObjectIdentifier: Watcher]>([:])

    /// - Parameter owner: Tells one watcher from another.
    func add(_ owner: AnyObject, _ watcher: @escaping Watcher) {
        let id = ObjectIdentifier(owner)
        watchers.withLock { $0[id] = watcher }
    }

    func remove(_ owner: AnyObject) {
        let id = ObjectIdentifier(owner)
        watchers.withLock { _ = $0.removeValue(forKey: id) }
    }

    func tell(_ peer: MCPeerID, _ state: MCSessionState, _ reason: MCDisconnectReason?) {
        for watcher in watchers.withLock({ Array($0.values) }) { watcher(peer, state, reason) }
    }
}
