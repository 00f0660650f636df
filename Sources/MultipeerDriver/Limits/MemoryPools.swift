import MultipeerCore
import MultipeerCrypto
import Synchronization

/// The memory that peers may hold beyond what each of them has by right (SPEC §13.5). Links that share pools share the bound.
///
/// A message that does not fit reserves all that it lacks at once. Half of the memory for messages is for those that lack at
/// most 1 MiB, and half for longer ones, so that no short message waits for a long one. In each half, those that find too
/// little wait in the order in which they came: so none holds a part while it waits for the rest.
///
/// Streams and files of one peer in one session have a share of their own, which nobody else has. Its messages have a part of
/// that if the app takes them fast.
public final class MemoryPools: Sendable {
    /// The pools of links whose options name no others: 64 MiB for messages, and shares of 1 MiB.
    public static let process = MemoryPools(messages: 67_108_864)

    /// The share of one peer in one session if nothing else is said, in bytes.
    public static let usualShare: UInt64 = 1_048_576
    /// A message that lacks more is a long one.
    private static let longestShort: UInt64 = 1_048_576

    /// Names one reservation, in the order in which they came.
    struct Ticket: Hashable {
        fileprivate let number: UInt64
        fileprivate let isLong: Bool
    }

    /// Whose share.
    struct Sharer: Hashable {
        let peer: IdentityKey
        let session: SessionID
    }

    private struct Waiter {
        let ticket: Ticket
        let count: UInt64
        let onGrant: @Sendable () -> Void
    }

    /// One half of the memory for messages.
    private struct Half {
        var free: UInt64
        var waiting: [Waiter] = []
        /// Granted, and not taken by their links yet.
        var granted: [Ticket: UInt64] = [:]
    }

    private struct State {
        var short: Half
        var long: Half
        var lastTicket: UInt64 = 0
        /// What is used of shares.
        var shares: [Sharer: UInt64] = [:]

        subscript(isLong: Bool) -> Half {
            get { isLong ? long : short }
            _modify { if isLong { yield &long } else { yield &short } }
        }
    }

    /// How many bytes there are for messages, in both halves.
    public let messageBytes: UInt64
    /// How many bytes the streams and files of one peer in one session have.
    public let share: UInt64
    private let state: Mutex<State>

    /// Creates pools of so many bytes.
    public init(messages: UInt64, share: UInt64 = usualShare) {
        messageBytes = messages
        self.share = share
        let half = messages / 2
        state = Mutex(State(short: Half(free: messages - half), long: Half(free: half)))
    }

    /// The longest message for which there is memory at some time (R13.5-3), in bytes.
    public var longestMessage: UInt64 { messageBytes / 2 }

    // MARK: Streams and files

    /// How many bytes of streams and files are granted.
    public var bulkBytesInUse: UInt64 { state.withLock { $0.shares.values.reduce(0, +) } }

    /// Takes as much of `count` as a stream or file may have: at most half of what is free of the share, so that the next one
    /// finds something.
    func takeBulk(_ count: UInt64, of sharer: Sharer) -> UInt64 {
        state.withLock { state in
            let used = state.shares[sharer] ?? 0
            let granted = min(count, (share - min(used, share)) / 2)
            if granted > 0 { state.shares[sharer] = used + granted }
            return granted
        }
    }

    /// Gives memory of streams and files back.
    func releaseBulk(_ count: UInt64, of sharer: Sharer) {
        state.withLock { state in
            guard let used = state.shares[sharer] else { return }
            state.shares[sharer] = used > count ? used - count : nil
        }
    }

    // MARK: Messages

    /// How many bytes are reserved.
    public var messageBytesInUse: UInt64 { state.withLock { messageBytes - $0.short.free - $0.long.free } }

    /// Whether a message waits for memory that another one of its kind has.
    func hasWaiters(beside ticket: Ticket) -> Bool { state.withLock { !$0[ticket.isLong].waiting.isEmpty } }

    /// Reserves memory, at once or in its turn. `onGrant` is called, from any thread, when a reservation that had to wait is
    /// granted.
    /// - Precondition: `count` is at most ``longestMessage``.
    func reserve(_ count: UInt64, onGrant: @escaping @Sendable () -> Void) -> Ticket {
        state.withLock { state in
            state.lastTicket += 1
            let isLong = count > min(Self.longestShort, longestMessage)
            let ticket = Ticket(number: state.lastTicket, isLong: isLong)
            state[isLong].waiting.append(Waiter(ticket: ticket, count: count, onGrant: onGrant))
            // Whoever is granted at once looks by itself.
            _ = Self.admit(&state[isLong])
            return ticket
        }
    }

    /// Returns how many bytes the reservation has been granted, once; nil while it waits.
    func takeGrant(_ ticket: Ticket) -> UInt64? {
        state.withLock { $0[ticket.isLong].granted.removeValue(forKey: ticket) }
    }

    /// Gives memory back that the reservation was granted.
    func release(_ count: UInt64, of ticket: Ticket) {
        let grants = state.withLock { state in
            state[ticket.isLong].free += count
            return Self.admit(&state[ticket.isLong])
        }
        for onGrant in grants { onGrant() }
    }

    /// The link is over: the reservation counts no more.
    func cancel(_ ticket: Ticket) {
        let grants = state.withLock { state in
            state[ticket.isLong].waiting.removeAll { $0.ticket == ticket }
            state[ticket.isLong].free += state[ticket.isLong].granted.removeValue(forKey: ticket) ?? 0
            return Self.admit(&state[ticket.isLong])
        }
        for onGrant in grants { onGrant() }
    }

    private static func admit(_ half: inout Half) -> [@Sendable () -> Void] {
        var grants: [@Sendable () -> Void] = []
        while let first = half.waiting.first, first.count <= half.free {
            half.waiting.removeFirst()
            half.free -= first.count
            half.granted[first.ticket] = first.count
            grants.append(first.onGrant)
        }
        return grants
    }
}
