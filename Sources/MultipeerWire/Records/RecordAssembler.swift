/// The reason why a stream of records cannot continue.
public enum RecordFault: Error, Equatable, Sendable {
    /// The magic, a kind or a length does not decode (R6.1-1, R6.2-1).
    case malformed(WireError)
    /// The kind of a record is out of order (R6.2-2).
    case unexpectedKind(RecordKind)
    /// The peer sent more than a link may receive before it is open (R19-1, R19-2).
    case limitExceeded
}

/// An assembler that divides a byte stream into records. Bytes can be incomplete here and nowhere else.
///
/// It holds at most one record. It refuses a fault at the first byte that shows it. It checks the magic byte by byte,
/// the kind as soon as that byte has arrived, and the length before it stores any of the body.
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

    /// The result of a call: where the bytes of the next record are.
    public enum Step: Equatable, Sendable {
        /// All input has been consumed, and no record is complete.
        case needsMore
        /// This range of the input is a whole record, header included.
        case inInput(RecordHeader, Range<Int>)
        /// A whole record, header included, has been assembled; ``takeRecord()`` returns it.
        case assembled(RecordHeader)
    }

    /// The records that may come next.
    public var expectation: Expectation
    /// The length of the longest protected record that is accepted, header included. It is small until the peer is
    /// identified (R19-2).
    public var maximumRecordLength = RecordHeader.maximumRecordLength
    /// The number of bytes of protected records that may still come, or nil once the link is open (R19-1).
    public var allowance: Int?

    private var magicSeen = 0
    /// The beginning of a record whose end has not arrived.
    private var partial: [UInt8] = []
    private var partialHeader: RecordHeader?
    /// The fault that ended the stream. No later byte belongs to a record.
    private var fault: RecordFault?

    /// Creates an assembler for a stream that begins with the magic.
    public init(expecting expectation: Expectation, allowance: Int? = nil) {
        self.expectation = expectation
        self.allowance = allowance
    }

    /// Whether the stream is between two records, so that its end would truncate none.
    public var isAtBoundary: Bool { magicSeen == Magic.length && partial.isEmpty && fault == nil }

    /// The header of the record that has begun and is not complete, if the whole header has arrived.
    public var begunHeader: RecordHeader? { partialHeader }

    /// Whether no byte has arrived yet.
    public var isUntouched: Bool { magicSeen == 0 }

    /// Consumes bytes of `input` from `offset` on, and returns where the next record is. A fault is final: every later
    /// call throws it again.
    public mutating func next(_ input: Span<UInt8>, from offset: inout Int) throws(RecordFault) -> Step {
        if let fault { throw fault }
        if let header = usualHeader(input, at: offset) {
            let start = offset
            offset += header.recordLength
            return .inInput(header, start..<offset)
        }
        do throws(RecordFault) {
            return try step(input, &offset)
        } catch {
            fault = error
            partial = []
            throw error
        }
    }

    /// Returns the header of what nearly all records are: one of an open link that the input holds as a whole. All others are looked at
    /// byte by byte.
    @inline(__always)
    private func usualHeader(_ input: Span<UInt8>, at offset: Int) -> RecordHeader? {
        guard expectation == .protected, allowance == nil, partial.isEmpty, magicSeen == Magic.length,
            input.count - offset > RecordHeader.length,
            let header = RecordHeader(protected: input[offset], input[offset + 1], input[offset + 2]),
            header.recordLength <= min(maximumRecordLength, input.count - offset)
        else { return nil }
        return header
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
        }
        return try assemble(input, &offset)
    }

    /// Returns the record of ``Step/assembled(_:)``, or nothing before a record is complete.
    public mutating func takeRecord() -> [UInt8] {
        guard let header = partialHeader, partial.count == header.recordLength else { return [] }
        defer {
            partial = []
            partialHeader = nil
        }
        return partial
    }

    private mutating func takeMagic(_ input: Span<UInt8>, _ offset: inout Int) throws(RecordFault) {
        while magicSeen < Magic.length, offset < input.count {
            guard input[offset] == Magic.bytes[magicSeen] else {
                throw .malformed(WireError(.valueOutOfRange, in: .magic))
            }
            magicSeen += 1
            offset += 1
        }
    }

    /// Returns the checked header at `offset`, or nil if it is not complete. The kind is checked as soon as it has
    /// arrived.
    private mutating func wholeHeader(_ input: Span<UInt8>, at offset: Int) throws(RecordFault) -> RecordHeader? {
        guard offset < input.count else { return nil }
        try checkKind(input[offset])
        guard offset + RecordHeader.length <= input.count else { return nil }
        return try checkHeader(input[offset], input[offset + 1], input[offset + 2])
    }

    /// Continues a record that the input does not hold as a whole. If it begins here, its kind has been checked.
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
        reserve(partial.count + missing, of: header)
        partial.append(copying: input.extracting(offset..<offset + missing))
        offset += missing
        return partial.count == header.recordLength ? .assembled(header) : .needsMore
    }

    /// Makes room for `needed` bytes of a record. An array that grows by itself doubles, also beyond its record. A
    /// record that a stranger may send gets its room at once, so that it is never held twice (R19-4).
    private mutating func reserve(_ needed: Int, of header: RecordHeader) {
        guard partial.capacity < needed else { return }
        let longestHello = RecordHeader.length + RecordKind.hello.bodyLengths.upperBound
        partial.reserveCapacity(min(header.recordLength, max(2 * needed, longestHello)))
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

    /// Checks the length and the limits, and counts the record against the allowance, before any of its body is stored.
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
