import MultipeerCore

/// What a peer may hold of this side's memory and time on an open link (docs/decisions/0012-limits-until-open.md).
extension LinkDriver {
    // MARK: Memory

    /// Tells the link what the app has taken, and what memory it has been granted.
    func settleMemory(at now: Instant) {
        let receipts = events.takeReceipts()
        if receipts.messages > 0 { link.took(credit: receipts.messages, at: now) }
        for (stream, count) in receipts.streamBytes { link.took(count, of: stream, at: now) }
        for stream in receipts.streamEnds { link.tookEnd(of: stream, at: now) }
        for (file, count) in receipts.fileBytes { link.took(count, of: file, at: now) }
        for file in receipts.fileEnds { link.tookEnd(of: file, at: now) }
        if let count = memory.takeGrant() { link.grantMemory(count, at: now) }
        memory.settleBulk(link.heldBulkMemory)
        while let claim = link.nextBulkClaim() {
            let count = memory.takeBulk(claim.count)
            if count > 0 { link.grantBulk(count, for: claim, at: now) }
        }
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
    /// Of the pool for streams and files.
    private var heldBulk: UInt64 = 0

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

    mutating func takeBulk(_ count: UInt64) -> UInt64 {
        let granted = pools.takeBulk(count, holding: heldBulk)
        heldBulk += granted
        return granted
    }

    /// The link needs so much still.
    mutating func settleBulk(_ needed: UInt64) {
        guard needed < heldBulk else { return }
        pools.releaseBulk(heldBulk - needed)
        heldBulk = needed
    }

    /// The link is over.
    mutating func releaseAll() {
        if let ticket = ticket.take() { pools.cancel(ticket) }
        release(held)
        settleBulk(0)
    }
}
