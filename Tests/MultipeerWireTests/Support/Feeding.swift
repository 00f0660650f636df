import MultipeerWire

/// What a record assembler made of a stream.
enum StreamEvent: Equatable {
    case record(RecordHeader, [UInt8])
    case fault(RecordFault)
}

/// A peer's end of a stream: feeds an assembler, and expects protected records after the first, as a link does.
struct StreamReader {
    var assembler: RecordAssembler
    private(set) var events: [StreamEvent] = []
    /// How many bytes had come when the fault was seen.
    private(set) var faultAfter: Int?
    private(set) var received = 0

    init(_ expectation: RecordAssembler.Expectation, allowance: Int? = nil, maximum: Int? = nil) {
        assembler = RecordAssembler(expecting: expectation, allowance: allowance)
        if let maximum { assembler.maximumRecordLength = maximum }
    }

    var isFaulty: Bool { faultAfter != nil }

    mutating func receive(_ bytes: [UInt8]) {
        received += bytes.count
        var offset = 0
        while !isFaulty {
            do throws(RecordFault) {
                switch try assembler.next(bytes.span, from: &offset) {
                case .needsMore: return
                case .inInput(let header, let range): events.append(.record(header, [UInt8](bytes[range])))
                case .assembled(let header): events.append(.record(header, assembler.takeRecord()))
                }
                assembler.expectation = .protected
            } catch {
                events.append(.fault(error))
                faultAfter = received
            }
        }
    }

    /// Feeds `stream` in the pieces that end at `cuts`.
    mutating func receive(_ stream: [UInt8], cutAt cuts: [Int]) {
        var begin = 0
        for end in cuts + [stream.count] {
            receive([UInt8](stream[begin..<end]))
            begin = end
        }
    }

    /// Feeds `stream` byte by byte.
    mutating func drip(_ stream: [UInt8]) {
        for byte in stream { receive([byte]) }
    }
}
