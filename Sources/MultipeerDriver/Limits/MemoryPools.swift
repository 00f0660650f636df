import MultipeerCore
import MultipeerCrypto
import Synchronization

/// The memory that peers may hold beyond what each of them has by right (SPEC §13.5). Links that share pools share the bound.
///
/// A message that does not fit gets what it lacks in instalments (`MessagePool`). Half of the memory for messages is for those that
/// lack at most 1 MiB, and half for longer ones, so that no short message waits for a long one. In each half, the branches of sessions
/// take turns: members that one member has brought in wait for each other, and not the others for all of them.
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

    /// The owner of a share, or of a turn: for turns the key is that of the branch (SPEC §14.4).
    struct Sharer: Hashable {
        let peer: IdentityKey
        let session: SessionID
    }

    private struct State {
        var short: MessagePool
        var long: MessagePool
        var lastBorrower: MessagePool.Borrower = 0
        /// What is used of shares.
        var shares: [Sharer: UInt64] = [:]

        subscript(isLong: Bool) -> MessagePool {
            get { isLong ? long : short }
            _modify { if isLong { yield &long } else { yield &short } }
        }
    }

    /// How many bytes there are for messages, in both halves.
    public let messageBytes: UInt64
    /// How many bytes the streams and files of one peer in one session have.
    public let share: UInt64
    private let state: Mutex<State>

    /// Creates pools of N bytes.
    public init(messages: UInt64, share: UInt64 = usualShare) {
        messageBytes = messages
        self.share = share
        let half = messages / 2
        state = Mutex(State(short: MessagePool(bytes: messages - half), long: MessagePool(bytes: half)))
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

    /// Names a link that is new.
    func newBorrower() -> MessagePool.Borrower {
        state.withLock { state in
            state.lastBorrower += 1
            return state.lastBorrower
        }
    }

    /// Whether a message that lacks so much is a long one.
    func isLong(_ lacking: UInt64) -> Bool { lacking > min(Self.longestShort, longestMessage) }

    /// Whether messages of other links wait for memory of that half.
    func hasWaiters(beside borrower: MessagePool.Borrower, isLong: Bool) -> Bool {
        state.withLock { $0[isLong].hasWaiters(beside: borrower) }
    }

    /// A message lacks so much, and gets an instalment of it, at once or in its turn. `onGrant` is called, from any thread, when it has one.
    /// - Precondition: `lacking`, with what the message has already, is at most ``longestMessage``.
    func reserve(
        _ lacking: UInt64, for borrower: MessagePool.Borrower, of group: Sharer, isLong: Bool,
        onGrant: @escaping @Sendable () -> Void
    ) {
        // A link that is granted something at once looks by itself.
        change(isLong, by: borrower) { $0.want(lacking, for: borrower, of: group, onGrant: onGrant) }
    }

    /// The message of a link has come whole, and lacks nothing any more.
    func settle(_ borrower: MessagePool.Borrower, isLong: Bool) { change(isLong) { $0.settle(borrower) } }

    /// Returns how many bytes the link was lent, once; nil while it waits.
    func takeGrant(of borrower: MessagePool.Borrower, isLong: Bool) -> UInt64? {
        state.withLock { $0[isLong].takeGrant(of: borrower) }
    }

    /// Gives memory back that the link was lent.
    func release(_ count: UInt64, of borrower: MessagePool.Borrower, isLong: Bool) {
        change(isLong) { $0.release(count, of: borrower) }
    }

    /// The link is over.
    func forget(_ borrower: MessagePool.Borrower) {
        for isLong in [false, true] { change(isLong) { $0.forget(borrower) } }
    }

    private func change(
        _ isLong: Bool, by borrower: MessagePool.Borrower? = nil, _ body: (inout MessagePool) -> Void
    ) {
        let grants = state.withLock { state in
            body(&state[isLong])
            return state[isLong].lend()
        }
        for grant in grants where grant.borrower != borrower { grant.onGrant() }
    }
}
