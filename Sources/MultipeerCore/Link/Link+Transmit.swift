import MultipeerCrypto
import MultipeerWire

extension Link {
    /// Whether ``transmit(into:)`` has something to write.
    public var hasOutput: Bool {
        if !context.outbox.isEmpty { return true }
        return switch phase {
        case .open(let open): open.session.hasPayload || open.session.isDraining
        default: false
        }
    }

    /// Writes the bytes that the transport should carry next.
    ///
    /// Call it until it writes nothing. To be sure of progress, give it 65,535 bytes of room or more. What it sends counts
    /// as sent at `now`: a deadline that has passed acts first (R18-2).
    @_lifetime(output: copy output)
    public mutating func transmit(into output: inout OutputSpan<UInt8>, at now: Instant) {
        timeout(at: now)
        while transmitNext(into: &output) {}
    }

    /// The least room for which a record of payload is begun, lest full buffers end in tiny records.
    private static var worthwhileRoom: Int { 4_096 }

    @_lifetime(output: copy output)
    private mutating func transmitNext(into output: inout OutputSpan<UInt8>) -> Bool {
        if !context.outbox.clear.isEmpty { return transmitClear(into: &output) }
        guard channel != nil else { return false }
        var room = min(output.freeCapacity - RecordSealer.overhead, RecordHeader.maximumPlaintextLength)
        // The record with PROOF is the first, and the peer takes no longer one (R19-2).
        if channel?.sealer.counter == 0 { room = min(room, Self.recordLengthBeforeProof - RecordSealer.overhead) }
        if !context.outbox.control.isEmpty { return transmitControl(room: room, into: &output) }
        return phase.isDrained ? beginClosing() : transmitPayload(room: room, into: &output)
    }

    @_lifetime(output: copy output)
    private mutating func transmitClear(into output: inout OutputSpan<UInt8>) -> Bool {
        guard context.outbox.clear.count <= output.freeCapacity else { return false }
        output.append(copying: context.outbox.clear.span)
        traceSentClear()
        context.outbox.clear = []
        return true
    }

    @_lifetime(output: copy output)
    private mutating func transmitControl(room: Int, into output: inout OutputSpan<UInt8>) -> Bool {
        guard context.outbox.control.fits(room: room) else { return false }
        let start = RecordSealer.begin(in: &output)
        _ = context.outbox.control.write(room: room, to: &output)
        return seal(.encrypted, from: start, in: &output)
    }

    @_lifetime(output: copy output)
    private mutating func transmitPayload(room: Int, into output: inout OutputSpan<UInt8>) -> Bool {
        let (kind, start): (RecordKind, Int)
        switch phase {
        case .open(let open):
            guard open.session.hasPayload, room >= Self.worthwhileRoom else { return false }
            (kind, start) = (open.session.recordKind, RecordSealer.begin(in: &output))
            guard open.session.write(room: room, to: &output, in: &context) else {
                output.removeLast(RecordHeader.length)
                return false
            }
        default: return false
        }
        return seal(kind, from: start, in: &output)
    }

    /// All that was queued when the app closed has gone out.
    private mutating func beginClosing() -> Bool {
        guard case .open(let open) = takePhase() else { return false }
        phase = .closing(ClosingPhase(closing: open, in: &context))
        return true
    }

    /// Ends a record. A failure of one's own cryptography ends the link, and takes the record back.
    @_lifetime(output: copy output)
    private mutating func seal(
        _ kind: RecordKind, from start: Int, in output: inout OutputSpan<UInt8>
    ) -> Bool {
        let plaintext = context.tracesRecords ? copy(output, from: start + RecordHeader.length) : []
        let counter = channel?.sealer.counter
        do {
            try channel?.sealer.finish(kind, from: start, in: &output)
            traceSent(kind, counter: counter, wire: output, from: start, plaintext: plaintext)
            return true
        } catch {
            output.removeLast(output.count - start)
            context.outbox = Outbox()
            context.effects.emit(.closed(.failed(LinkFailure(stage: phase.stage, cause: .crypto(error)))))
            context.deadline = nil
            phase = .closed
            return false
        }
    }
}
