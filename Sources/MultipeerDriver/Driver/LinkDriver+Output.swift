public import MultipeerCore

/// How much one link may do before others on its thread have their turn.
struct TurnBudget {
    /// At most 2 MiB, about what a socket takes at once.
    private static let buffers = 32
    /// The limit is necessary because tasks that send as fast as the link takes messages would keep the thread busy for
    /// ever.
    private static let rounds = 16

    private var buffersLeft = Self.buffers
    private var roundsLeft = Self.rounds

    /// Takes a buffer of the budget. Returns whether it may be written in this turn.
    mutating func takeBuffer() -> Bool {
        guard buffersLeft > 0 else { return false }
        buffersLeft -= 1
        return true
    }

    /// Takes a round of the budget. Returns whether newly sent messages are queued in this turn.
    mutating func takeRound() -> Bool {
        guard roundsLeft > 0 else { return false }
        roundsLeft -= 1
        return true
    }
}

extension LinkDriver {
    /// Begins the next turn, after ``needsTurn``. Drain the driver afterwards, as after any input.
    public func beginTurn() {
        needsTurn = false
        turn = TurnBudget()
    }

    /// Does the work that needs no transport: queues messages, delivers events, and takes a validator's verdict.
    /// Returns whether to call ``transmit(into:at:)`` and then this method again. It returns false at the end of a
    /// drain.
    ///
    /// If the transport is not writable, the rest stays unsealed in the link, where control frames overtake payload.
    public func prepareWrite(at now: Instant, isWritable: Bool) -> Bool {
        guard !isReconnecting else { return false }
        submitVerdict(at: now)
        repeat {
            settleMemory(at: now)
            queueAcceptedMessages(at: now)
            carryDatagrams(at: now)
            deliverEvents(at: now)
            supplyFiles(at: now)
            if isWritable, hasBytes {
                if turn.takeBuffer() { return true }
                needsTurn = true
            }
        } while report(isWritable: isWritable) && mayGoOn()
        announceStage()
        noteProgress(isWritable: isWritable, at: now)
        noteWaitingFiles(at: now)
        if link.stage == .open || link.stage == .draining { expectReceipts(at: now) }
        isStuck = false
        if !needsTurn { turn = TurnBudget() }
        return false
    }

    /// Writes the bytes that the transport should carry next.
    ///
    /// Progress is certain with at least 65,535 bytes of room.
    @_lifetime(output: copy output)
    public func transmit(into output: inout OutputSpan<UInt8>, at now: Instant) {
        let before = output.count
        link.transmit(into: &output, at: now)
        isStuck = output.count == before
    }

    /// Tells those that send what waits. Returns whether they have more.
    private func report(isWritable: Bool) -> Bool {
        sends.report(
            linkBytes: link.queuedByteCount, isHeld: !isWritable || link.progress?.hasUnsentMessages ?? false)
    }

    private var hasBytes: Bool { transport.takesBytes && !isStuck && link.hasOutput }

    private func mayGoOn() -> Bool {
        if turn.takeRound() { return true }
        needsTurn = true
        return false
    }

    private func submitVerdict(at now: Instant) {
        beginLaterVerification()
        guard let (token, verdict) = verification?.takeVerdict() else { return }
        // A verdict that comes too late changes nothing (R10.5-1). One on a node's link may have to wait for another link (R8.7-8).
        if let node, let number {
            node.submitVerdict(verdict, for: token, on: number, at: now)
        } else {
            try? link.submitVerdict(verdict, for: token, at: now)
        }
    }
}
