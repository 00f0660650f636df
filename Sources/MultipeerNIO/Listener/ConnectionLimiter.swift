import MultipeerCore
import NIOCore
import Synchronization

/// Decides what becomes of accepted connections, and counts them. The event loops of one listener share it.
final class ConnectionLimiter: Sendable {
    /// What becomes of a connection.
    enum Decision {
        case serve
        /// It hears REFUSAL `busy`.
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

    /// Decides about a connection, and counts it. Connections that are served or refused have to be released.
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

    /// Gives one half-open place back: the link's handshake is over, well or not.
    func releaseHalfOpen(from address: AddressKey?) {
        state.withLock { state in
            state.counts.halfOpen -= 1
            guard let address, let count = state.halfOpenByAddress[address] else { return }
            state.halfOpenByAddress[address] = count > 1 ? count - 1 : nil
        }
    }

    /// Gives the connection's place back: it is over.
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

    /// Keeps the link in reach of ``beginShutdown()`` until ``forget(_:)``. Returns false if the shutdown has begun.
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

    /// Admits nobody any more. Returns the links that are there.
    func beginShutdown() -> [NIOLoopBound<LinkHandler>] {
        state.withLock { state in
            state.isShuttingDown = true
            return Array(state.links.values)
        }
    }
}
