import MultipeerCrypto
import MultipeerWire

extension Link {
    /// Whether ``transmit(into:at:)`` has something to write.
    public var hasOutput: Bool {
        if !context.outbox.isEmpty { return true }
        guard let payload = state.payload else { return false }
        // A link that has drained has CLOSE to send.
        return payload.hasOutput || stage == .draining && !payload.hasQueued
    }

    /// Writes the bytes that the transport should carry next.
    ///
    /// Call it until it writes nothing. To be sure of progress, give it 65,535 bytes of room or more. What it sends counts
    /// as sent at `now`: a deadline that has passed acts first (R18-2).
    @_lifetime(output: copy output)
    public mutating func transmit(into output: inout OutputSpan<UInt8>, at now: Instant) {
        timeout(at: now)
        while transmitNext(into: &output), hasOutput {}
        dropUnneededKeys()
    }

    /// The least room for which a record of frames of an open link is begun, lest full buffers end in tiny records.
    private static var worthwhileRoom: Int { 4_096 }

    @_lifetime(output: copy output)
    private mutating func transmitNext(into output: inout OutputSpan<UInt8>) -> Bool {
        if !context.outbox.clear.isEmpty { return transmitClear(into: &output) }
        guard let keys = state.sending else { return false }
        rekeyIfDue()
        if !context.outbox.control.isEmpty { return transmitControl(with: keys, into: &output) }
        let room = min(output.freeCapacity - RecordSealer.overhead, RecordHeader.maximumPlaintextLength)
        return finishDraining() || transmitAssociation(room: room, with: keys, into: &output)
    }

    @_lifetime(output: copy output)
    private mutating func transmitClear(into output: inout OutputSpan<UInt8>) -> Bool {
        let clear = context.outbox.clear
        guard clear.count <= output.freeCapacity else { return false }
        output.append(copying: clear.span)
        traceSentClear()
        context.outbox.clear = []
        return true
    }

    @_lifetime(output: copy output)
    private mutating func transmitControl(
        with keys: SendingProtection, into output: inout OutputSpan<UInt8>
    ) -> Bool {
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
        return seal(.encrypted, with: keys, from: start, replacingKey: flight.hasRekey, in: &output)
    }

    /// Before frames of an open link go out under a key that is ten minutes old, REKEY does (R12.6-5).
    private mutating func rekeyIfDue() {
        guard context.now >= context.rekeyDue, let payload = state.payload,
            payload.hasOutput || context.outbox.control.holdsFrameOfOpenLink
        else { return }
        context.outbox.control.insertRekey()
        context.restartRekeyTimer()
    }

    @_lifetime(output: copy output)
    private mutating func transmitAssociation(
        room: Int, with keys: SendingProtection, into output: inout OutputSpan<UInt8>
    ) -> Bool {
        guard let payload = state.payload, payload.hasOutput, room >= Self.worthwhileRoom else { return false }
        let start = RecordSealer.begin(in: &output)
        guard let kind = payload.write(room: room, to: &output, in: context) else {
            output.removeLast(RecordHeader.length)
            return false
        }
        return seal(kind, with: keys, from: start, replacingKey: false, in: &output)
    }

    /// Sends CLOSE once all that was queued when the app closed has gone out.
    private mutating func finishDraining() -> Bool {
        guard stage == .draining, state.payload?.hasQueued == false else { return false }
        step(.drained)
        return true
    }

    /// Ends a record. A failure of one's own cryptography ends the link, and takes the record back.
    @_lifetime(output: copy output)
    private mutating func seal(
        _ kind: RecordKind, with keys: SendingProtection, from start: Int, replacingKey: Bool,
        in output: inout OutputSpan<UInt8>
    ) -> Bool {
        let plaintext = context.tracesRecords ? copy(output, from: start + RecordHeader.length) : []
        let counter = keys.sealer.counter
        do {
            try keys.sealer.finish(kind, from: start, in: &output)
            traceSent(kind, counter: counter, wire: output, from: start, plaintext: plaintext)
            if replacingKey {
                try keys.sealer.rekey()
                context.restartRekeyTimer()
            }
            return true
        } catch {
            output.removeLast(output.count - start)
            let position = LinkPosition(state.status)
            let failure = LinkFailure(stage: position.stage, cause: .crypto(error))
            end(.cutOff(failure), at: position, over: nil)
            return false
        }
    }
}
