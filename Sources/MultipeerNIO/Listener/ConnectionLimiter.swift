import MultipeerCore
import NIOCore
import Synchronization

/// Decides what happens to accepted connections, and counts them. The event loops of one listener share it.
final class ConnectionLimiter: Sendable {
    /// What happens to a connection.
    enum Decision {
        case serve
        /// The peer gets REFUSAL `busy`.
        case refuse
        case drop
    }

    private struct State {
        var counts = ListenerCounts()
        var halfOpenByAddress: [AddressKey: Int] = [:]
        var links: [ObjectIdentifier: NIOLoopBound<LinkHandler>] = [:]
        var isShuttingDown = false
    }

    private let limits: ListenerLimits
    private let state = Mutex(State())

    init(limits: ListenerLimits) {
        self.limits = limits
    }

    var counts: ListenerCounts { state.withLock { $0.counts } }

    /// Decides about a connection, and counts it. A connection that is served or refused must be released later.
    func admit(from address: AddressKey?) -> Decision {
        state.withLock { state in
            let counts = state.counts
            let fromAddress = address.flatMap { state.halfOpenByAddress[$0] } ?? 0
            if !state.isShuttingDown, counts.open < limits.connections, counts.halfOpen < limits.halfOpen,
                fromAddress < limits.halfOpenPerAddress
            {
                state.counts.open += 1
                state.counts.halfOpen += 1
                state.counts.accepted += 1
                if let address { state.halfOpenByAddress[address] = fromAddress + 1 }
                return .serve
            }
            if !state.isShuttingDown, counts.refusing < limits.refusals {
                state.counts.refusing += 1
                state.counts.refused += 1
                return .refuse
            }
            state.counts.dropped += 1
            return .drop
        }
    }

    // MARK: What becomes of links

    /// Releases a half-open place, because the link's handshake has succeeded or failed.
    func releaseHalfOpen(from address: AddressKey?) {
        state.withLock { state in
            state.counts.halfOpen -= 1
            guard let address, let count = state.halfOpenByAddress[address] else { return }
            state.halfOpenByAddress[address] = count > 1 ? count - 1 : nil
        }
    }

    /// Releases the connection's place, because the connection is over.
    func release(_ decision: Decision) {
        state.withLock { state in
            switch decision {
            case .serve: state.counts.open -= 1
            case .refuse: state.counts.refusing -= 1
            case .drop: break
            }
        }
    }

    // MARK: Shutting down

    /// Registers the link for ``beginShutdown()`` until ``forget(_:)``. Returns false if the shutdown has already
    /// begun.
    func register(_ handler: LinkHandler, eventLoop: any EventLoop) -> Bool {
        let bound = NIOLoopBound(handler, eventLoop: eventLoop)
        return state.withLock { state in
            state.links[ObjectIdentifier(handler)] = bound
            return !state.isShuttingDown
        }
    }

    func forget(_ link: ObjectIdentifier) {
        state.withLock { _ = $0.links.removeValue(forKey: link) }
    }

    /// Refuses all later connections. Returns the existing links.
    func beginShutdown() -> [NIOLoopBound<LinkHandler>] {
        state.withLock { state in
            state.isShuttingDown = true
            return Array(state.links.values)
        }
    }
}
