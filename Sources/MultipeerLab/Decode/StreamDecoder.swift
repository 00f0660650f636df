import MultipeerCommandLine
import MultipeerCore
import MultipeerWire

/// A decoder of one direction of a captured stream, from its first byte. It shows what someone without keys can see
/// (SPEC §6).
///
/// It checks each structure by itself. It does not check whether frames come in a legal order, as a peer would.
struct StreamDecoder {
    private var assembler: RecordAssembler
    private let sender: ClearDescription.Sender?
    private var counter: UInt64 = 0
    private var hasRefused = false
    private let emit: (DecodedItem) -> Void

    /// - Parameter sender: The sender of the bytes, or nil to infer it.
    init(sender: ClearDescription.Sender?, emit: @escaping (DecodedItem) -> Void) {
        assembler = RecordAssembler(expecting: sender == .initiator ? .hello : .helloOrRefusal)
        self.sender = sender
        self.emit = emit
    }

    /// Decodes the bytes and reports every item in order, up to the first fault.
    mutating func decode(_ bytes: [UInt8]) throws(DecodeFault) {
        var offset = 0
        let hasMagic = bytes.starts(with: Magic.bytes)
        if hasMagic { emit(.magic) }
        while offset < bytes.count {
            guard !hasRefused else {
                throw DecodeFault(
                    offset: offset, reason: "there are bytes after REFUSAL", code: CloseCode.unexpectedRecord.name)
            }
            let start = max(offset, Magic.bytes.count)
            let step: RecordAssembler.Step
            do throws(RecordFault) {
                step = try assembler.next(bytes.span, from: &offset)
            } catch {
                throw DecodeFault(offset: offset, reason: error.words, code: error.code.name)
            }
            switch step {
            case .needsMore:
                throw bytes.count <= Magic.bytes.count ? Self.noRecord(bytes) : Self.cut(bytes, from: start)
            case .assembled: break  // never: the whole input is there at once
            case .inInput(let header, let range):
                try record(header, bytes.span.extracting(range), at: range.lowerBound)
            }
        }
        guard offset > Magic.bytes.count else { throw Self.noRecord(bytes) }
    }

    private static func noRecord(_ bytes: [UInt8]) -> DecodeFault {
        let what = bytes.count < Magic.bytes.count ? "in the magic" : "before the first record"
        return DecodeFault(offset: bytes.count, reason: "the input ends \(what)", code: nil)
    }

    private static func cut(_ bytes: [UInt8], from start: Int) -> DecodeFault {
        DecodeFault(
            offset: start,
            reason: "the input ends in the middle of a record, \(bytes.count - start) bytes after its start",
            code: nil)
    }

    private mutating func record(
        _ header: RecordHeader, _ record: Span<UInt8>, at offset: Int
    ) throws(DecodeFault) {
        let body = record.extracting(droppingFirst: RecordHeader.length)
        switch header.kind {
        case .hello, .refusal: try clear(header, body, at: offset)
        case .encrypted, .authenticated:
            emit(.protected(offset: offset, header, counter: counter))
            counter += 1
            guard header.kind == .authenticated else { return }
            let frames = body.extracting(first: header.bodyLength - Self.tagLength)
            try FrameWalk(isReadableRecord: true, emit: emit).walk(frames, at: offset + RecordHeader.length)
        }
    }

    /// The length of the tag of both AEADs, in bytes (SPEC §12.3).
    private static let tagLength = 16

    private mutating func clear(
        _ header: RecordHeader, _ body: Span<UInt8>, at offset: Int
    ) throws(DecodeFault) {
        do throws(WireError) {
            let (found, fields) = try ClearDescription.describe(header.kind, body: body, from: sender)
            emit(.clear(offset: offset, header, sender: found, fields))
        } catch {
            throw DecodeFault(offset: offset, reason: error.words, code: error.closeCode.name)
        }
        assembler.expectation = .protected
        hasRefused = header.kind == .refusal
    }
}

/// A decoder of consecutive frames (SPEC §6.3).
struct FrameWalk {
    /// Whether the frames are in an AUTHENTICATED record, which may contain only payload (R12.4-2).
    let isReadableRecord: Bool
    let emit: (DecodedItem) -> Void

    /// - Parameter base: The offset of the first byte. Reported offsets include it.
    func walk(_ bytes: Span<UInt8>, at base: Int) throws(DecodeFault) {
        var cursor = FrameCursor(bytes)
        var offset = base
        while true {
            let next: RawFrame?
            do {
                next = try cursor.next()
            } catch {
                throw DecodeFault(offset: offset, reason: error.words, code: error.closeCode.name)
            }
            guard let frame = next else { return }
            try check(frame, at: offset)
            do {
                emit(.frame(offset: offset, try FrameDescription(frame), isIndented: isReadableRecord))
            } catch {
                throw DecodeFault(offset: offset, reason: error.words, code: error.closeCode.name)
            }
            offset += frame.encoded.count
        }
    }

    /// Throws for a frame that ends a link whatever its content is (SPEC §6.4 and R12.4-2).
    private func check(_ frame: borrowing RawFrame, at offset: Int) throws(DecodeFault) {
        if frame.type == nil, !frame.isIgnorable {
            throw DecodeFault(
                offset: offset, reason: "the frame type \(Hex.number(frame.rawType)) is unknown and must be understood",
                code: CloseCode.unsupported.name)
        }
        guard isReadableRecord, frame.type?.isPayload != true else { return }
        throw DecodeFault(
            offset: offset,
            reason: "a readable record must not contain the frame \(frame.type?.name ?? Hex.number(frame.rawType))",
            code: CloseCode.wrongProtection.name)
    }
}
