import MultipeerCrypto
import NIOCore
import Synchronization

/// Decides what happens to accepted connections, and makes links give up their places. The event loops of one listener
/// share it.
final class ConnectionLimiter: Sendable {
    /// What happens to a connection.
    enum Decision: Equatable {
        case serve(Place.Number)
        /// The peer gets REFUSAL `busy`.
        case refuse
        case drop
    }

    private struct State {
        var places: Places
        var links: [Place.Number: NIOLoopBound<LinkHandler>] = [:]
        /// Links that are being refused.
        var refusals: [ObjectIdentifier: NIOLoopBound<LinkHandler>] = [:]
        var isRefusing = false
        var isShuttingDown = false

        /// Forgets links that have lost their places, and returns them.
        mutating func take(_ numbers: [Place.Number]) -> [NIOLoopBound<LinkHandler>] {
            numbers.compactMap { links.removeValue(forKey: $0) }
        }
    }

    private let state: Mutex<State>

    init(limits: ListenerLimits) {
        state = Mutex(State(places: Places(limits: limits)))
    }

    var counts: ListenerCounts { state.withLock { $0.places.counts } }

    /// Decides about a connection, and counts it. A connection that is served or refused must end later.
    func admit(from address: AddressKey?) -> Decision {
        let (decision, evicted): (Decision, [NIOLoopBound<LinkHandler>]) = state.withLock { state in
            if !state.isShuttingDown, !state.isRefusing,
                case .admitted(let number, let evicted) = state.places.admit(from: address)
            {
                return (.serve(number), state.take(evicted))
            }
            if !state.isShuttingDown, state.places.beginRefusal() { return (.refuse, []) }
            state.places.countDropped()
            return (.drop, [])
        }
        Self.evict(evicted)
        return decision
    }

    // MARK: What becomes of links

    func identified(_ number: Place.Number, as identity: IdentityKey) {
        change { $0.identify(number, as: identity) }
    }

    func recognized(_ number: Place.Number, isKnown: Bool) {
        change { $0.recognize(number, isKnown: isKnown) }
    }

    func opened(_ number: Place.Number) {
        change { $0.open(number) }
    }

    func ended(_ number: Place.Number) {
        state.withLock { state in
            state.places.end(number)
            state.links[number] = nil
        }
    }

    func refusalEnded(_ link: ObjectIdentifier?) {
        state.withLock { state in
            state.places.endRefusal()
            if let link { state.refusals[link] = nil }
        }
    }

    private func change(_ step: (inout Places) -> [Place.Number]) {
        let evicted = state.withLock { state in
            let numbers = step(&state.places)
            return state.take(numbers)
        }
        Self.evict(evicted)
    }

    /// Ends links that have lost their places, each on its own loop.
    private static func evict(_ links: [NIOLoopBound<LinkHandler>]) {
        for link in links { link.eventLoop.execute { link.value.evict() } }
    }

    // MARK: Shutting down

    /// Registers a link that is served, until it ends. Returns false if it has lost its place already, or the shutdown has
    /// begun.
    func register(_ handler: LinkHandler, as number: Place.Number, eventLoop: any EventLoop) -> Bool {
        let bound = NIOLoopBound(handler, eventLoop: eventLoop)
        return state.withLock { state in
            guard !state.isShuttingDown, state.places.contains(number) else { return false }
            state.links[number] = bound
            return true
        }
    }

    /// Registers a link that is being refused, until it ends. Returns false if the shutdown has begun.
    func register(refusing handler: LinkHandler, eventLoop: any EventLoop) -> Bool {
        let bound = NIOLoopBound(handler, eventLoop: eventLoop)
        return state.withLock { state in
            guard !state.isShuttingDown else { return false }
            state.refusals[ObjectIdentifier(handler)] = bound
            return true
        }
    }

    /// Refuses all later connections as busy. Existing links continue.
    func beginRefusing() {
        state.withLock { $0.isRefusing = true }
    }

    /// Drops all later connections. Returns the existing links.
    func beginShutdown() -> [NIOLoopBound<LinkHandler>] {
        state.withLock { state in
            state.isShuttingDown = true
            return Array(state.links.values) + Array(state.refusals.values)
        }
    }
}
