import Synchronization

/// The memory that peers may hold beyond what each of them has by right (SPEC §13.5). Links that share pools share the bound.
///
/// A message that does not fit reserves all that it lacks at once. Those that find too little wait, in the order in which they
/// came: so none holds a part while it waits for the rest.
public final class MemoryPools: Sendable {
    /// The pools of links whose options name no others: 64 MiB for messages, 128 MiB for streams and files.
    public static let process = MemoryPools(messages: 67_108_864, bulk: 134_217_728)

    /// Names one reservation, in the order in which they came.
    typealias Ticket = UInt64

    private struct Waiter {
        let ticket: Ticket
        let count: UInt64
        let onGrant: @Sendable () -> Void
    }

    private struct State {
        var free: UInt64
        /// What is free of the pool for streams and files.
        var freeBulk: UInt64
        var waiting: [Waiter] = []
        /// Granted, and not taken by their links yet.
        var granted: [Ticket: UInt64] = [:]
        var lastTicket: Ticket = 0
    }

    /// How many bytes there are for messages.
    public let messageBytes: UInt64
    private let state: Mutex<State>

    /// How many bytes there are for streams and files.
    public let bulkBytes: UInt64

    /// Creates pools of so many bytes.
    public init(messages: UInt64, bulk: UInt64) {
        messageBytes = messages
        bulkBytes = bulk
        state = Mutex(State(free: messages, freeBulk: bulk))
    }

    /// How many bytes of streams and files are granted.
    public var bulkBytesInUse: UInt64 { bulkBytes - state.withLock { $0.freeBulk } }

    /// Takes as much of `count` as a link may have that holds so much: not more in all than half of what is free. So whatever
    /// some links hold, another finds something.
    func takeBulk(_ count: UInt64, holding held: UInt64) -> UInt64 {
        state.withLock { state in
            let half = state.freeBulk / 2
            let granted = min(count, half > held ? half - held : 0)
            state.freeBulk -= granted
            return granted
        }
    }

    /// Gives memory of streams and files back.
    func releaseBulk(_ count: UInt64) { state.withLock { $0.freeBulk += count } }

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
