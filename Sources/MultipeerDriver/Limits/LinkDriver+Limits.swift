import MultipeerCore

/// What a peer may hold of this side's memory and time on an open link (docs/decisions/0012-limits-until-open.md).
extension LinkDriver {
    // MARK: Memory

    /// Tells the link what the app has taken, and what memory it has been granted.
    func settleMemory(at now: Instant) {
        let credit = events.takeCredit()
        if credit > 0 { link.took(credit: credit, at: now) }
        if let count = memory.takeGrant() { link.grantMemory(count, at: now) }
    }

    /// A message that does not use its memory gives it up if others wait for it (R13.5-5).
    func checkStalledMessage(at now: Instant) {
        guard isMessageStalled else { return }
        isMessageStalled = false
        if memory.hasWaiters { fail(.messageStalled, at: now) }
    }

    // MARK: Progress

    /// Looks at the progress at the end of a drain.
    func noteProgress(isWritable: Bool, at now: Instant) {
        watch.note(link.progress, isBlocked: !isWritable, isPaused: !wantsRead, at: now)
    }

    /// Ends the link if one direction has stood still too long.
    func checkProgress(at now: Instant) {
        if let limit = watch.stall(at: now) { link.fail(limit, at: now) }
    }
}

/// What one link has of the pools.
struct LinkMemory {
    private let pools: MemoryPools
    private var ticket: MemoryPools.Ticket?
    private var held: UInt64 = 0

    init(pools: MemoryPools) {
        self.pools = pools
    }

    /// A configuration whose links ask for memory, and take no message for which there never is enough (R13.5-3).
    static func limited(_ configuration: LinkConfiguration, to pools: MemoryPools) -> LinkConfiguration {
        var configuration = configuration
        configuration.asksForMemory = true
        configuration.maximumMessage = min(configuration.maximumMessage, UInt32(clamping: pools.messageBytes))
        return configuration
    }

    /// Whether messages of others wait for memory.
    var hasWaiters: Bool { pools.hasWaiters }

    mutating func reserve(_ count: UInt64, onGrant: @escaping @Sendable () -> Void) {
        ticket = pools.reserve(count, onGrant: onGrant)
    }

    /// Returns what the link has been granted, once.
    mutating func takeGrant() -> UInt64? {
        guard let ticket, let count = pools.takeGrant(ticket) else { return nil }
        self.ticket = nil
        held += count
        return count
    }

    mutating func release(_ count: UInt64) {
        let count = min(count, held)
        held -= count
        pools.release(count)
    }

    /// The link is over.
    mutating func releaseAll() {
        if let ticket = ticket.take() { pools.cancel(ticket) }
        release(held)
    }
}
