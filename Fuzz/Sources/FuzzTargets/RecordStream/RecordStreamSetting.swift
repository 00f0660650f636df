import FuzzSupport
import MultipeerWire

/// How a stream is read: as a responder or an initiator, under which limits, in which pieces.
struct RecordStreamSetting {
    let opening: RecordAssembler.Expectation
    let maximumRecordLength: Int
    let allowance: Int?
    let pieces: [Int]

    /// The first four bytes of an input.
    init(_ choices: inout Choices) {
        let flags = choices.byte()
        opening = flags & 1 == 0 ? .hello : .helloOrRefusal
        maximumRecordLength = flags & 2 == 0 ? RecordHeader.maximumRecordLength : 1_024
        allowance = flags & 4 == 0 ? nil : 131_072 >> Int(flags >> 4)
        pieces = (0..<3).map { _ in 1 + Int(choices.byte()) }
    }

    /// What became of a stream: the records before its end or its fault, and where it is then.
    struct Reading: Equatable {
        var records: [[UInt8]] = []
        var fault: RecordFault?
        var isAtBoundary = false
    }

    /// Reads as a link does: what follows the first record is protected.
    func read(_ stream: [UInt8], pieces: [Int]) -> Reading {
        var assembler = RecordAssembler(expecting: opening, allowance: allowance)
        assembler.maximumRecordLength = maximumRecordLength
        var reading = Reading()
        var (start, turn) = (0, 0)
        while start < stream.count, reading.fault == nil {
            let end = min(stream.count, start + max(pieces[turn % pieces.count], 1))
            take(Array(stream[start..<end]), &assembler, &reading)
            (start, turn) = (end, turn + 1)
        }
        reading.isAtBoundary = assembler.isAtBoundary
        return reading
    }

    private func take(_ piece: [UInt8], _ assembler: inout RecordAssembler, _ reading: inout Reading) {
        var offset = 0
        do {
            while true {
                switch try assembler.next(piece.span, from: &offset) {
                case .needsMore: return
                case .inInput(_, let range): reading.records.append(Array(piece[range]))
                case .assembled: reading.records.append(assembler.takeRecord())
                }
                assembler.expectation = .protected
            }
        } catch {
            reading.fault = error
        }
    }
}
