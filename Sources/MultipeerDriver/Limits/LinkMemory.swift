import MultipeerCore
import MultipeerCrypto

/// What one link has of the pools.
struct LinkMemory {
    private let pools: MemoryPools
    private let borrower: MessagePool.Borrower
    /// What is granted of the memory for messages, in the order in which it was.
    private var grants: [(isLong: Bool, count: UInt64)] = []
    /// What the message that has begun lacks still.
    private var message: (isLong: Bool, lacking: UInt64)?
    /// What the link has of its share for streams, files and fast messages.
    private var heldBulk: UInt64 = 0
    /// The owner of that share; nil before the link is open.
    var sharer: MemoryPools.Sharer?

    init(pools: MemoryPools) {
        self.pools = pools
        borrower = pools.newBorrower()
    }

    /// A configuration whose links ask for memory, and take no message for which there never is enough (R13.5-3).
    static func limited(_ configuration: LinkConfiguration, to pools: MemoryPools) -> LinkConfiguration {
        var configuration = configuration
        configuration.asksForMemory = true
        configuration.messageWindow = max(configuration.messageWindow, messageWindow)
        configuration.maximumMessage = min(configuration.maximumMessage, UInt32(clamping: pools.longestMessage))
        return configuration
    }

    /// What the messages of a peer may use if its app takes them fast: half a megabyte of the share beyond what they have by
    /// right. With less the sender of large messages waits for each CREDIT (docs/benchmarks.md).
    private static let messageWindow: UInt64 = 786_432

    // MARK: Messages

    /// Whether messages of others wait for what this link has.
    var hasWaiters: Bool {
        grants.contains { pools.hasWaiters(beside: borrower, isLong: $0.isLong) }
    }

    /// The message that has begun lacks so much.
    /// - Parameters:
    ///   - count: In bytes, what it was granted not counted.
    ///   - branch: The branch of the peer in the session (SPEC §14.4); nil while it is not known.
    ///   - onGrant: Called, from any thread, when there is a part of it.
    mutating func reserve(_ count: UInt64, of branch: IdentityKey?, onGrant: @escaping @Sendable () -> Void) {
        guard let sharer else { return }
        let isLong = message.flatMap { $0.lacking > 0 ? $0.isLong : nil } ?? pools.isLong(count)
        message = (isLong, count)
        let group = MemoryPools.Sharer(peer: branch ?? sharer.peer, session: sharer.session)
        pools.reserve(count, for: borrower, of: group, isLong: isLong, onGrant: onGrant)
    }

    /// Returns what the link has been granted, once.
    mutating func takeGrant() -> UInt64? {
        guard let (isLong, lacking) = message, let count = pools.takeGrant(of: borrower, isLong: isLong) else {
            return nil
        }
        message = count < lacking ? (isLong, lacking - count) : nil
        grants.append((isLong, count))
        return count
    }

    /// The message that had begun has come whole: what it lacked still, it lacks no more.
    mutating func messageCame() {
        guard let (isLong, lacking) = message, lacking > 0 else { return }
        message = (isLong, 0)
        pools.settle(borrower, isLong: isLong)
    }

    /// The link needs so much less.
    mutating func release(_ count: UInt64) {
        var left = count
        while left > 0, let first = grants.first {
            let part = min(left, first.count)
            left -= part
            grants[0].count -= part
            if part == first.count { grants.removeFirst() }
            pools.release(part, of: borrower, isLong: first.isLong)
        }
    }

    // MARK: The share

    mutating func takeBulk(_ count: UInt64) -> UInt64 {
        guard let sharer else { return 0 }
        let granted = pools.takeBulk(count, of: sharer)
        heldBulk += granted
        return granted
    }

    /// The link needs so much still.
    mutating func settleBulk(_ needed: UInt64) {
        guard needed < heldBulk, let sharer else { return }
        pools.releaseBulk(heldBulk - needed, of: sharer)
        heldBulk = needed
    }

    /// The link is over.
    mutating func releaseAll() {
        pools.forget(borrower)
        grants = []
        message = nil
        settleBulk(0)
    }
}
