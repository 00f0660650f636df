/// Why a stream of records cannot go on.
public enum RecordFault: Error, Equatable, Sendable {
    /// Magic, kind or length do not decode (R6.1-1, R6.2-1).
    case malformed(WireError)
    /// A kind that is out of order (R6.2-2).
    case unexpectedKind(RecordKind)
    /// The peer sent more than an unfinished link may receive (R19-1, R19-2).
    case limitExceeded
}

/// Cuts a byte stream into records. The only place where bytes can be incomplete.
///
/// Holds at most one record. Refuses as soon as a byte shows the fault: the magic byte by byte, the kind at its first
/// byte, the length before any of the body is stored.
public struct RecordAssembler: Sendable {
    /// Which records may come next (R6.2-2).
    public enum Expectation: Equatable, Sendable {
        /// The first record that a responder gets.
        case hello
        /// The first record that an initiator gets.
        case helloOrRefusal
        /// Every later record.
        case protected
    }

    /// Where a record's bytes are.
    public enum Step: Equatable, Sendable {
        /// All input is taken, and no record is complete.
        case needsMore
        /// A whole record, header included, is this range of the input.
        case inInput(RecordHeader, Range<Int>)
        /// A whole record, header included, was put together: ``takeRecord()`` has it.
        case assembled(RecordHeader)
    }

    /// Which records may come next.
    public var expectation: Expectation
    /// The longest protected record that is accepted, header included. Small until the peer is identified (R19-2).
    public var maximumRecordLength = RecordHeader.maximumRecordLength
    /// How many bytes of protected records may still come; nil once the link is open (R19-1).
    public var allowance: Int?

    private var magicSeen = 0
    /// The beginning of a record whose end has not come.
    private var partial: [UInt8] = []
    private var partialHeader: RecordHeader?
    /// What ended the stream. Nothing after it is a record, whatever bytes come.
    private var fault: RecordFault?

    /// Begins before the magic.
    public init(expecting expectation: Expectation, allowance: Int? = nil) {
        self.expectation = expectation
        self.allowance = allowance
    }

    /// Whether the stream is between two records, so that its end cuts none.
    public var isAtBoundary: Bool { magicSeen == Magic.bytes.count && partial.isEmpty && fault == nil }

    /// The header of the record that has begun and is not whole yet, once it is there.
    public var begunHeader: RecordHeader? { partialHeader }

    /// Whether no byte has come yet.
    public var isUntouched: Bool { magicSeen == 0 }

    /// Takes bytes of `input` from `offset` on, and says where the next record is. A fault is final: once thrown, every
    /// further call throws it again.
    public mutating func next(_ input: Span<UInt8>, from offset: inout Int) throws(RecordFault) -> Step {
        if let fault { throw fault }
        do throws(RecordFault) {
            return try step(input, &offset)
        } catch {
            fault = error
            partial = []
            throw error
        }
    }

    private mutating func step(_ input: Span<UInt8>, _ offset: inout Int) throws(RecordFault) -> Step {
        try takeMagic(input, &offset)
        if partial.isEmpty, let header = try wholeHeader(input, at: offset) {
            let end = offset + header.recordLength
            if end <= input.count {
                defer { offset = end }
                return .inInput(header, offset..<end)
            }
            partialHeader = header
            partial.reserveCapacity(min(header.recordLength, 2 * (input.count - offset) + 1_024))
        }
        return try assemble(input, &offset)
    }

    /// Hands over the record of ``Step/assembled(_:)``; before one is whole, nothing.
    public mutating func takeRecord() -> [UInt8] {
        guard let header = partialHeader, partial.count == header.recordLength else { return [] }
        defer {
            partial = []
            partialHeader = nil
        }
        return partial
    }

    private mutating func takeMagic(_ input: Span<UInt8>, _ offset: inout Int) throws(RecordFault) {
        while magicSeen < Magic.bytes.count, offset < input.count {
            guard input[offset] == Magic.bytes[magicSeen] else {
                throw .malformed(WireError(.valueOutOfRange, in: .magic))
            }
            magicSeen += 1
            offset += 1
        }
    }

    /// The header at `offset`, checked, or nil when it is not all there. Its kind is checked as soon as it is.
    private mutating func wholeHeader(_ input: Span<UInt8>, at offset: Int) throws(RecordFault) -> RecordHeader? {
        guard offset < input.count else { return nil }
        try checkKind(input[offset])
        guard offset + RecordHeader.length <= input.count else { return nil }
        return try checkHeader(input[offset], input[offset + 1], input[offset + 2])
    }

    /// Goes on with a record that is not whole in the input. Its kind, if it begins here, is checked already.
    private mutating func assemble(_ input: Span<UInt8>, _ offset: inout Int) throws(RecordFault) -> Step {
        if partialHeader == nil {
            while partial.count < RecordHeader.length {
                guard offset < input.count else { return .needsMore }
                partial.append(input[offset])
                offset += 1
            }
            partialHeader = try checkHeader(partial[0], partial[1], partial[2])
        }
        guard let header = partialHeader else { return .needsMore }
        let missing = min(header.recordLength - partial.count, input.count - offset)
        partial.append(copying: input.extracting(offset..<offset + missing))
        offset += missing
        return partial.count == header.recordLength ? .assembled(header) : .needsMore
    }

    private func checkKind(_ byte: UInt8) throws(RecordFault) {
        guard let kind = RecordKind(rawValue: byte) else {
            throw .malformed(WireError(.valueOutOfRange, in: .recordKind))
        }
        let isExpected =
            switch (expectation, kind) {
            case (.hello, .hello), (.helloOrRefusal, .hello), (.helloOrRefusal, .refusal): true
            case (.protected, .encrypted), (.protected, .authenticated): true
            case (.hello, _), (.helloOrRefusal, _), (.protected, _): false
            }
        guard isExpected else { throw .unexpectedKind(kind) }
    }

    /// Checks length and limits, and counts the record against the allowance: before a byte of its body is kept.
    private mutating func checkHeader(
        _ kind: UInt8, _ high: UInt8, _ low: UInt8
    ) throws(RecordFault) -> RecordHeader {
        let header: RecordHeader
        do {
            header = try RecordHeader(kindByte: kind, bodyLength: Int(high) << 8 | Int(low))
        } catch {
            throw .malformed(error)
        }
        guard expectation == .protected else { return header }
        guard header.recordLength <= maximumRecordLength else { throw .limitExceeded }
        if let left = allowance {
            guard header.recordLength <= left else { throw .limitExceeded }
            allowance = left - header.recordLength
        }
        return header
    }
}
