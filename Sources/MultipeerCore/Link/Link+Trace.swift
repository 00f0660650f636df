import MultipeerWire

/// What people who debug are shown, if the configuration asks (``LinkConfiguration/tracesRecords``).
extension Link {
    mutating func trace(
        _ direction: TraceEntry.Direction, _ kind: RecordKind, counter: UInt64, wire: Span<UInt8>,
        plaintext: Span<UInt8>
    ) {
        guard context.tracesRecords else { return }
        context.effects.emit(
            .trace(
                TraceEntry(
                    direction: direction, wire: [UInt8](copying: wire), kind: kind, counter: counter,
                    plaintext: [UInt8](copying: plaintext))))
    }

    /// A clear record that came. The assembler has taken the magic off; it is part of what passed.
    mutating func trace(_ direction: TraceEntry.Direction, clear record: Span<UInt8>, kind: RecordKind) {
        guard context.tracesRecords else { return }
        let bytes = [UInt8](copying: record)
        context.effects.emit(
            .trace(
                TraceEntry(
                    direction: direction, wire: Magic.bytes + bytes, kind: kind, counter: nil,
                    plaintext: Array(bytes.dropFirst(RecordHeader.length)))))
    }

    mutating func traceSentClear() {
        let record = Array(context.outbox.clear.dropFirst(Magic.bytes.count))
        let kind = record.first.flatMap(RecordKind.init(rawValue:)) ?? .hello
        trace(.sent, clear: record.span, kind: kind)
    }

    mutating func traceSent(
        _ kind: RecordKind, counter: UInt64, wire output: borrowing OutputSpan<UInt8>, from start: Int,
        plaintext: [UInt8]
    ) {
        guard context.tracesRecords else { return }
        let wire = copy(output, from: start)
        trace(.sent, kind, counter: counter, wire: wire.span, plaintext: plaintext.span)
    }

    func copy(_ output: borrowing OutputSpan<UInt8>, from start: Int) -> [UInt8] {
        [UInt8](copying: output.span.extracting(droppingFirst: start))
    }
}
