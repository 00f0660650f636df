import MultipeerCore

/// What a remote peer may hold of the local peer's memory and time on an open link
/// (docs/decisions/0012-limits-until-open.md).
extension LinkDriver {
    /// How long the peer may wait to hear of a little that the app has taken (R13.5-2).
    private static let receiptDelay: Duration = .milliseconds(20)

    // MARK: Memory

    /// Tells the link what the app has taken, and what memory it has been granted.
    func settleMemory(at now: Instant) {
        let receipts = events.takeConsumed()
        if let node, let number {
            if !receipts.isEmpty { node.releaseCredit(receipts, of: number, at: now) }
        } else {
            if receipts.messages > 0 { link.releaseCredit(receipts.messages, at: now) }
            for (stream, count) in receipts.streamBytes { link.releaseCredit(count, of: stream, at: now) }
        }
        if receipts.datagrams.count > 0 {
            datagramEnd.path?.release(receipts.datagrams.count, bytes: receipts.datagrams.bytes)
        }
        for stream in receipts.streamEnds { link.tookEnd(of: stream, at: now) }
        for (file, count) in receipts.fileBytes { link.releaseCredit(count, of: file, at: now) }
        for file in receipts.fileEnds { link.tookEnd(of: file, at: now) }
        if let count = context.memory.takeGrant() { link.grantMemory(count, at: now) }
        context.memory.settleBulk(link.heldBulkMemory)
        while let claim = link.nextBulkClaim() {
            let count = context.memory.takeBulk(claim.count)
            if count > 0 { link.grantBulk(count, for: claim, at: now) }
        }
    }

    /// Sees to it that small receipts are not forgotten: much that the app takes wakes the driver, and a little does not.
    func expectReceipts(at now: Instant) {
        guard receiptsDue == nil, events.expectsReceipts else { return }
        receiptsDue = now.advanced(by: Self.receiptDelay)
    }

    /// It is time to look for receipts. After that the next one wakes the driver, so that an app that takes nothing costs no
    /// timer.
    func lookForReceipts(at now: Instant) {
        guard let due = receiptsDue, now >= due else { return }
        receiptsDue = nil
        settleMemory(at: now)
        events.notifyImmediately()
    }

    /// A message that does not use its memory gives it up if others wait for it (R13.5-5).
    func checkStalledMessage(at now: Instant) {
        guard isMessageStalled else { return }
        isMessageStalled = false
        if context.memory.hasWaiters { fail(.messageStalled, at: now) }
    }

    // MARK: Progress

    /// Looks at the progress at the end of a drain.
    func noteProgress(isWritable: Bool, at now: Instant) {
        watch.note(link.progress, isBlocked: !isWritable, isPaused: !wantsRead, at: now)
    }

    /// Ends the link if one direction has stood still too long.
    func checkProgress(at now: Instant) {
        guard let limit = watch.stall(at: now) else { return }
        link.fail(limit, at: now)
        // A peer that still says a little must not hold the link for the whole closing deadline as well.
        transport.giveUp(at: now.advanced(by: patience))
    }
}
