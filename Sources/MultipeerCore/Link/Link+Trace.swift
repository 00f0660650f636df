import MultipeerCrypto
import MultipeerWire

/// What people who debug are shown, if the configuration asks (``LinkConfiguration/tracesRecords``).
extension LinkContext {
    func trace(
        _ direction: TraceEntry.Direction, _ kind: RecordKind, counter: UInt64, wire: Span<UInt8>,
        plaintext: Span<UInt8>
    ) {
        guard tracesRecords else { return }
        effects.emit(
            .trace(
                TraceEntry(
                    direction: direction, wire: [UInt8](copying: wire), kind: kind, counter: counter,
                    plaintext: [UInt8](copying: plaintext))))
    }

    /// A clear record that came. The assembler has taken the magic off; it is part of what passed.
    func trace(_ direction: TraceEntry.Direction, clear record: Span<UInt8>, kind: RecordKind) {
        guard tracesRecords else { return }
        let bytes = [UInt8](copying: record)
        effects.emit(
            .trace(
                TraceEntry(
                    direction: direction, wire: Magic.bytes + bytes, kind: kind, counter: nil,
                    plaintext: Array(bytes.dropFirst(RecordHeader.length)))))
    }

    /// The clear record that is sent next.
    func traceSentClear() {
        guard tracesRecords else { return }
        let record = Array(outbox.clear.dropFirst(Magic.bytes.count))
        let kind = record.first.flatMap(RecordKind.init(rawValue:)) ?? .hello
        trace(.sent, clear: record.span, kind: kind)
    }
}

extension SendingProtection {
    /// Ends the record that began at `start` (``RecordSealer/finish(_:from:in:)``), and shows it to people who debug.
    @inline(never)  // docs/decisions/0024
    @_lifetime(output: copy output)
    func seal(
        _ kind: RecordKind, from start: Int, in output: inout OutputSpan<UInt8>, tracing context: LinkContext
    ) throws(CryptoFailure) {
        guard context.tracesRecords else { return try sealer.finish(kind, from: start, in: &output) }
        let plaintext = [UInt8](copying: output.span.extracting(droppingFirst: start + RecordHeader.length))
        let counter = sealer.counter
        try sealer.finish(kind, from: start, in: &output)
        context.trace(
            .sent, kind, counter: counter, wire: output.span.extracting(droppingFirst: start), plaintext: plaintext.span
        )
    }
}
