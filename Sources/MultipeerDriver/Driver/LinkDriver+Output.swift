public import MultipeerCore

/// How much one link may do before others on its thread have their turn.
struct TurnBudget {
    /// 2 MiB at most, about what a socket takes at once.
    private static let buffers = 32
    /// Tasks that send as fast as the link takes messages would keep the thread busy for ever.
    private static let rounds = 16

    private var buffersLeft = Self.buffers
    private var roundsLeft = Self.rounds

    /// Whether another buffer may be written in this turn.
    mutating func takeBuffer() -> Bool {
        guard buffersLeft > 0 else { return false }
        buffersLeft -= 1
        return true
    }

    /// Whether messages that came meanwhile are queued in this turn.
    mutating func takeRound() -> Bool {
        guard roundsLeft > 0 else { return false }
        roundsLeft -= 1
        return true
    }
}

extension LinkDriver {
    /// Begins the next turn, after ``needsTurn``. Drain the driver then, as after any input.
    public func beginTurn() {
        needsTurn = false
        turn = TurnBudget()
    }

    /// Does what needs no transport: queues messages, delivers events, takes a validator's verdict. Returns whether to call
    /// ``transmit(into:at:)`` and then this again; after the end of a drain it is false.
    ///
    /// A transport that is not writable leaves the rest unsealed in the link, where control frames overtake payload.
    public func prepareWrite(at now: Instant, isWritable: Bool) -> Bool {
        submitVerdict(at: now)
        repeat {
            queueAcceptedMessages(at: now)
            deliverEvents()
            supplyFile(at: now)
            if isWritable, hasBytes {
                if turn.takeBuffer() { return true }
                needsTurn = true
            }
        } while sends.report(linkBytes: link.queuedByteCount) && mayGoOn()
        announceStage()
        isStuck = false
        if !needsTurn { turn = TurnBudget() }
        return false
    }

    /// Writes the bytes that the transport should carry next.
    ///
    /// To be sure of progress, give it 65,535 bytes of room or more.
    @_lifetime(output: copy output)
    public func transmit(into output: inout OutputSpan<UInt8>, at now: Instant) {
        let before = output.count
        link.transmit(into: &output, at: now)
        isStuck = output.count == before
    }

    private var hasBytes: Bool { transport.takesBytes && !isStuck && link.hasOutput }

    private func mayGoOn() -> Bool {
        if turn.takeRound() { return true }
        needsTurn = true
        return false
    }

    private func submitVerdict(at now: Instant) {
        guard let (token, verdict) = verification?.takeVerdict() else { return }
        // A verdict that comes too late is stale, and changes nothing (R10.5-1).
        try? link.submitVerdict(verdict, for: token, at: now)
    }
}
