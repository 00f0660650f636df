import Synchronization

/// The memory that peers may hold beyond what each of them has by right (SPEC §13.5). Links that share pools share the bound.
///
/// A message that does not fit reserves all that it lacks at once. Those that find too little wait, in the order in which they
/// came: so none holds a part while it waits for the rest.
public final class MemoryPools: Sendable {
    /// The pools of links whose options name no others: 64 MiB for messages.
    public static let process = MemoryPools(messages: 67_108_864)

    /// Names one reservation, in the order in which they came.
    typealias Ticket = UInt64

    private struct Waiter {
        let ticket: Ticket
        let count: UInt64
        let onGrant: @Sendable () -> Void
    }

    private struct State {
        var free: UInt64
        var waiting: [Waiter] = []
        /// Granted, and not taken by their links yet.
        var granted: [Ticket: UInt64] = [:]
        var lastTicket: Ticket = 0
    }

    /// How many bytes there are for messages.
    public let messageBytes: UInt64
    private let state: Mutex<State>

    /// Creates pools of so many bytes.
    public init(messages: UInt64) {
        messageBytes = messages
        state = Mutex(State(free: messages))
    }

    /// How many bytes are reserved.
    public var messageBytesInUse: UInt64 { messageBytes - state.withLock { $0.free } }

    /// Whether a message waits for memory that others have.
    var hasWaiters: Bool { state.withLock { !$0.waiting.isEmpty } }

    /// Reserves memory, at once or in its turn. `onGrant` is called, from any thread, when a reservation that had to wait is
    /// granted.
    /// - Precondition: `count` is at most ``messageBytes``.
    func reserve(_ count: UInt64, onGrant: @escaping @Sendable () -> Void) -> Ticket {
        state.withLock { state in
            state.lastTicket += 1
            state.waiting.append(Waiter(ticket: state.lastTicket, count: count, onGrant: onGrant))
            // Whoever is granted at once looks by itself.
            _ = Self.admit(&state)
            return state.lastTicket
        }
    }

    /// Returns how many bytes the reservation has been granted, once; nil while it waits.
    func takeGrant(_ ticket: Ticket) -> UInt64? { state.withLock { $0.granted.removeValue(forKey: ticket) } }

    /// Gives memory back.
    func release(_ count: UInt64) {
        let grants = state.withLock { state in
            state.free += count
            return Self.admit(&state)
        }
        for onGrant in grants { onGrant() }
    }

    /// The link is over: the reservation counts no more.
    func cancel(_ ticket: Ticket) {
        let grants: [@Sendable () -> Void] = state.withLock { state in
            state.waiting.removeAll { $0.ticket == ticket }
            state.free += state.granted.removeValue(forKey: ticket) ?? 0
            return Self.admit(&state)
        }
        for onGrant in grants { onGrant() }
    }

    private static func admit(_ state: inout State) -> [@Sendable () -> Void] {
        var grants: [@Sendable () -> Void] = []
        while let first = state.waiting.first, first.count <= state.free {
            state.waiting.removeFirst()
            state.free -= first.count
            state.granted[first.ticket] = first.count
            grants.append(first.onGrant)
        }
        return grants
    }
}
