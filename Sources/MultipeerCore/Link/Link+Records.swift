import MultipeerCrypto
import MultipeerWire

/// The receiving path down to the plaintext of a record (SPEC §6, §12).
extension Link {
    /// Handles the records of `bytes`. What comes after a fault of the stream is ignored, not judged (SPEC §16.3): it is no
    /// second error.
    mutating func receiveRecords(_ bytes: Span<UInt8>) {
        var offset = 0
        while offset < bytes.count, !state.isOver, !isStreamBroken {
            do throws(LinkFailureCause) {
                guard try receiveRecord(bytes, &offset) else { return }
            } catch {
                fail(error)
            }
        }
    }

    /// Handles the next record. False when there is none.
    private mutating func receiveRecord(_ bytes: Span<UInt8>, _ offset: inout Int) throws(LinkFailureCause) -> Bool {
        let step: RecordAssembler.Step
        do {
            step = try assembler.next(bytes, from: &offset)
        } catch {
            throw breakStream(because: error)
        }
        switch step {
        case .needsMore:
            if let header = assembler.begunHeader { try checkProtection(of: header) }
            return false
        case .inInput(let header, let range):
            try handle(header, record: bytes.extracting(range))
        case .assembled(let header): try handleAssembled(header)
        }
        return true
    }

    @inline(never)  // rare: docs/decisions/0025
    private mutating func breakStream(because fault: RecordFault) -> LinkFailureCause {
        isStreamBroken = true
        return LinkFailureCause(fault)
    }

    @inline(never)  // apart from records that arrive whole: docs/decisions/0025
    private mutating func handleAssembled(_ header: RecordHeader) throws(LinkFailureCause) {
        let record = assembler.takeRecord()
        try handle(header, record: record.span)
    }

    private mutating func handle(_ header: RecordHeader, record: Span<UInt8>) throws(LinkFailureCause) {
        switch header.kind {
        case .hello, .refusal: handleClear(header, record: record)
        case .encrypted, .authenticated: try handleProtected(header, record: record)
        }
    }

    /// Hello or refusal.
    @inline(never)  // rare: docs/decisions/0025
    private mutating func handleClear(_ header: RecordHeader, record: Span<UInt8>) {
        context.trace(.received, clear: record, kind: header.kind)
        assembler.expectation = .protected
        stepHello(header.kind, body: record.extracting(droppingFirst: RecordHeader.length))
    }

    private mutating func handleProtected(
        _ header: RecordHeader, record: Span<UInt8>
    ) throws(LinkFailureCause) {
        try checkProtection(of: header)
        let counter = state.receivedCount
        let plaintext = try open(header, record: record)
        // Every record that verifies shows life (SPEC §13.7).
        state.heard(at: context.now)
        // A link that closes waits on (SPEC §19).
        if stage == .closing { step(.recordCame) }
        if header.kind == .authenticated {
            let frames = record.extracting(RecordOpener.authenticatedFrames(of: record))
            context.trace(.received, header.kind, counter: counter, wire: record, plaintext: frames)
            handle(frames: frames, kind: header.kind)
        } else {
            context.trace(.received, header.kind, counter: counter, wire: record, plaintext: plaintext.span)
            handle(frames: plaintext.span, kind: header.kind)
        }
        state.recycle(consume plaintext)
    }

    /// R12.4-2: the header is enough.
    private mutating func checkProtection(of header: RecordHeader) throws(LinkFailureCause) {
        guard header.kind == .authenticated, state.status.payloadEncryption != .readable else { return }
        isStreamBroken = true
        throw .violation(.wrongProtection)
    }

    /// Verifies a record. Returns the frames of an encrypted one.
    private mutating func open(_ header: RecordHeader, record: Span<UInt8>) throws(LinkFailureCause) -> [UInt8] {
        let plaintext: [UInt8]?
        do {
            plaintext = try state.open(header, record: record)
        } catch {
            isStreamBroken = true
            throw error == .authenticationFailed ? .violation(.decryptFailed) : .crypto(error)
        }
        guard let plaintext else { throw .violation(.unexpectedRecord(header.kind)) }
        return plaintext
    }
}
