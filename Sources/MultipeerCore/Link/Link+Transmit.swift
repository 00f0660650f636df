import MultipeerCrypto
import MultipeerWire

extension Link {
    /// Whether ``transmit(into:at:)`` has something to write.
    public var hasOutput: Bool {
        !context.outbox.isEmpty || state.hasOutput
    }

    /// Writes the bytes that the transport should carry next.
    ///
    /// Call it until it writes nothing. To be sure of progress, give it 65,535 bytes of room or more. What it sends counts
    /// as sent at `now`: a deadline that has passed acts first (R18-2).
    @_lifetime(output: copy output)
    public mutating func transmit(into output: inout OutputSpan<UInt8>, at now: Instant) {
        begin(at: now)
        while transmitNext(into: &output), hasOutput {}
        dropUnneededKeys()
    }

    /// The least room for which a record of frames of an open link is begun, lest full buffers end in tiny records.
    private static var worthwhileRoom: Int { 4_096 }

    /// Writes the next record, if there is one and room for it. Returns whether it did, and one more may follow.
    @_lifetime(output: copy output)
    private mutating func transmitNext(into output: inout OutputSpan<UInt8>) -> Bool {
        if !context.outbox.clear.isEmpty { return transmitClear(into: &output) }
        guard state.canSend else { return false }
        rekeyIfDue()
        if !context.outbox.control.isEmpty { return transmitControl(into: &output) }
        return finishDraining() || transmitPayload(into: &output)
    }

    @inline(never)  // rare: docs/decisions/0025
    @_lifetime(output: copy output)
    private mutating func transmitClear(into output: inout OutputSpan<UInt8>) -> Bool {
        let clear = context.outbox.clear
        guard clear.count <= output.freeCapacity else { return false }
        output.append(copying: clear.span)
        context.traceSentClear()
        context.outbox.clear = []
        return true
    }

    @inline(never)  // rare: docs/decisions/0025
    @_lifetime(output: copy output)
    private mutating func transmitControl(into output: inout OutputSpan<UInt8>) -> Bool {
        guard let keys = state.sending else { return false }
        // The record with PROOF is the first, and the peer takes no longer one (R19-2). It is not filled up to the one byte
        // that no PADDING can have (SPEC §6.5).
        let isFirst = keys.sealer.counter == 0
        let limit = isFirst ? Self.recordLengthBeforeProof : RecordHeader.maximumRecordLength
        let flight = context.outbox.control.nextFlight(
            recordLength: min(output.freeCapacity, limit),
            frameLength: isFirst ? limit - RecordSealer.overhead - 2 : RecordHeader.maximumPlaintextLength)
        guard let flight else { return false }
        let start = RecordSealer.begin(in: &output)
        context.outbox.control.write(flight, to: &output)
        do {
            try keys.seal(.encrypted, from: start, in: &output, tracing: context)
            if flight.hasRekey {
                try keys.sealer.rekey()
                context.restartRekeyTimer()
            }
            return true
        } catch {
            return takeBack(recordFrom: start, because: error, in: &output)
        }
    }

    /// Before frames of an open link go out under a key that is ten minutes old, REKEY does (R12.6-5).
    private mutating func rekeyIfDue() {
        if context.now >= context.rekeyDue { replaceOldKey() }
    }

    @inline(never)  // rare: docs/decisions/0025
    private mutating func replaceOldKey() {
        guard let payload = state.payload,
            payload.hasOutput(isDraining: false) || context.outbox.control.holdsFrameOfOpenLink
        else { return }
        insertRekey()
    }

    /// REKEY goes out before the frames of an open link that wait in the outbox (R12.6-5).
    mutating func insertRekey() {
        context.outbox.control.insertRekey()
        context.restartRekeyTimer()
    }

    @_lifetime(output: copy output)
    private mutating func transmitPayload(into output: inout OutputSpan<UInt8>) -> Bool {
        let room = min(output.freeCapacity - RecordSealer.overhead, RecordHeader.maximumPlaintextLength)
        guard room >= Self.worthwhileRoom else { return false }
        let start = output.count
        do {
            return try state.writePayload(room: room, to: &output, in: context)
        } catch {
            return takeBack(recordFrom: start, because: error, in: &output)
        }
    }

    /// Sends CLOSE once all that was queued when the app closed has gone out.
    private mutating func finishDraining() -> Bool {
        guard stage == .draining, state.payload?.hasQueued == false else { return false }
        step(.drained)
        return true
    }

    /// A failure of one's own cryptography ends the link, and takes the record back.
    @inline(never)  // rare: docs/decisions/0025
    @_lifetime(output: copy output)
    private mutating func takeBack(
        recordFrom start: Int, because cause: CryptoFailure, in output: inout OutputSpan<UInt8>
    ) -> Bool {
        output.removeLast(output.count - start)
        let position = LinkPosition(state.status)
        let failure = LinkFailure(stage: position.stage, cause: .crypto(cause))
        end(.cutOff(failure), at: position, over: nil)
        return false
    }
}
