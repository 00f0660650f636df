import MultipeerWire

/// The frames that the local peer sends, built when a record is (SPEC §15.2).
extension Association {
    /// Whether control frames must go out. ACK, CREDIT and PONG are states, and are built when they are written.
    @inline(__always)
    var hasControl: Bool {
        hasWaitingControl || keepAlive.hasFrame || ack.isDue || incoming.isCreditDue || !dueCredits.isEmpty
            || openings.isDue || offers.isDue
    }

    /// Whether control frames wait that may go out.
    @inline(__always)
    var hasWaitingControl: Bool { !control.isEmpty || control.isHolding && kept.hasRoom }

    /// Whether messages, or bytes of streams and files, can go out.
    @inline(__always)
    var hasPayload: Bool { canSendMessages || !ring.isEmpty && hasBulk }

    /// Whether messages can go out: there is credit, and room to keep them.
    @inline(__always)
    private var canSendMessages: Bool { outgoing.canSend && kept.hasRoom }

    /// Whether a record has just taken all that there was: then neither of the two above holds, and needs not be asked. Messages make
    /// nothing due, and streams and files make frames that wait in `control`.
    @inline(__always)
    var hasWrittenAll: Bool {
        outgoing.isEmpty && ring.isEmpty && control.isEmpty && !control.isHolding && !kept.isRepeating
    }

    /// Whether something could go out if the peer acknowledged what it has got. It has a second for that (R13.6-1), whatever its app does.
    var awaitsAck: Bool {
        guard !kept.hasRoom else { return false }
        return outgoing.canSend || control.isHolding || ring.contains { streams[$0]?.sender.canSend ?? false }
    }

    @inline(never)  // apart from messages alone: docs/decisions/0025
    private var hasBulk: Bool { ring.contains { canSendBulk($0) } }

    /// Whether bytes of this stream or file can go out.
    private func canSendBulk(_ id: UInt64) -> Bool {
        if let stream = streams[id] { return stream.sender.canSend && kept.hasRoom }
        return outgoingFiles[id]?.canSend ?? false
    }

    /// Whether bytes of streams and files can go out. Numbers of which none can go out any more leave the ring here.
    private mutating func findBulk() -> Bool {
        while let id = ring.first {
            if canSendBulk(id) { return true }
            streams[id]?.isInRing = false
            outgoingFiles[id]?.isInRing = false
            ring.removeFirst()
        }
        return false
    }

    /// Writes the control frames that are due into `room` bytes. Whatever does not fit waits.
    @inline(never)  // not in every record: docs/decisions/0025
    @_lifetime(output: copy output)
    mutating func writeControl(room: Int, to output: inout OutputSpan<UInt8>, at now: Instant) {
        buildStates(at: now)
        control.write(upTo: output.count + max(room, 0), to: &output, keeping: &kept)
    }

    /// All control frames that wait, for the outbox before CLOSE.
    mutating func takeControl() -> [QueuedFrame] { control.takeAll(keeping: &kept) }

    /// Turns what is due into frames.
    private mutating func buildStates(at now: Instant) {
        if ack.isDue, let frame = ack.takeFrame() { control.append(frame) }
        for credit in takeDueCredits() { control.append(credit) }
        guard keepAlive.hasFrame else { return }
        let (ping, pong) = keepAlive.takeFrames(at: now)
        if let pong { control.append(pong) }
        if let ping { control.append(ping) }
    }

    /// Takes the CREDIT that is due.
    /// - Parameter isHeld: Whether that of a stream or file waits still.
    mutating func takeDueCredits(except isHeld: (UInt64) -> Bool = { _ in false }) -> [Credit] {
        var credits: [Credit] = []
        if incoming.isCreditDue { credits.append(incoming.takeCredit()) }
        if openings.isDue { credits.append(Credit(kind: .openings, limit: openings.announce())) }
        if offers.isDue { credits.append(Credit(kind: .offers, limit: offers.announce())) }
        for id in dueCredits where !isHeld(id) {
            if let credit = takeCredit(ofStream: id) ?? takeCredit(ofFile: id) { credits.append(credit) }
        }
        let held = dueCredits.filter(isHeld)
        dueCredits.removeAll(keepingCapacity: dueCredits.count < 64)
        dueCredits += held
        return credits
    }

    /// Writes payload frames up to place `end` of the output: messages and bulk in their shares (SPEC §15.2).
    @_lifetime(output: copy output)
    mutating func writePayload(upTo end: Int, to output: inout OutputSpan<UInt8>, into effects: inout EffectQueue) {
        guard findBulk() else {
            // Messages alone share with nobody.
            share.reset()
            return outgoing.write(room: end - output.count, to: &output, keeping: &kept)
        }
        writeShares(upTo: end, to: &output, into: &effects)
    }

    @inline(never)  // apart from messages alone: docs/decisions/0025
    @_lifetime(output: copy output)
    private mutating func writeShares(
        upTo end: Int, to output: inout OutputSpan<UInt8>, into effects: inout EffectQueue
    ) {
        while let (turn, allowance) = share.next(messages: canSendMessages, bulk: findBulk()) {
            let (before, room) = (output.count, end - output.count)
            switch turn {
            case .messages: outgoing.write(room: min(room, allowance), to: &output, keeping: &kept)
            case .bulk: writeBulk(room: min(room, allowance), to: &output, into: &effects)
            }
            if output.count > before {
                share.spend(output.count - before)
            } else if allowance < room {
                share.endTurn()
            } else {
                return
            }
        }
    }

    /// Writes one frame of the stream or file whose turn it is.
    @_lifetime(output: copy output)
    private mutating func writeBulk(room: Int, to output: inout OutputSpan<UInt8>, into effects: inout EffectQueue) {
        // What is left of a turn may be too little for a frame; then it is the next one's.
        for _ in 0..<2 {
            guard findBulk(), let id = ring.first else { return }
            let (before, allowance) = (output.count, ring.allowance)
            write(id, room: min(room, allowance), to: &output, into: &effects)
            if output.count > before { return ring.spend(output.count - before) }
            guard allowance < room else { return }
            ring.rotate()
        }
    }

    @_lifetime(output: copy output)
    private mutating func write(
        _ id: UInt64, room: Int, to output: inout OutputSpan<UInt8>, into effects: inout EffectQueue
    ) {
        if let stream = streams[id] {
            writeStream(id, stream, room: room, to: &output, into: &effects)
        } else if let file = outgoingFiles[id] {
            writeFile(file, room: room, to: &output, into: &effects)
        }
    }

    /// The ACK that is sent before CLOSE (R13.6-1).
    mutating func takeLastAck() -> Ack? { ack.takeFrame() }
}
