internal import MultipeerCrypto
internal import MultipeerWire

/// Takes records out of a stream that comes in any pieces (SPEC §6.1, §6.2, §19).
enum RecordStreamGroup {
    private struct Outcome: Equatable {
        var records: [[UInt8]] = []
        var fault: RecordFault?
        var isAtBoundary = false
    }

    static func run(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let bytes = try inputs.bytes("bytes")
        let assembler = try assembler(params, inputs)
        // Byte by byte shows how many bytes the fault needs.
        var drip = assembler
        var outcome = Outcome()
        var consumed = 0
        for byte in bytes where outcome.fault == nil {
            feed([byte], to: &drip, &outcome)
            consumed += 1
        }
        outcome.isAtBoundary = drip.isAtBoundary
        for cut in cuts(bytes.count) {
            var pieces = assembler
            var other = Outcome()
            feed(Array(bytes[..<cut]), to: &pieces, &other)
            if other.fault == nil { feed(Array(bytes[cut...]), to: &pieces, &other) }
            other.isAtBoundary = pieces.isAtBoundary
            guard other == outcome else { throw .inconsistent("another outcome when cut at \(cut)") }
        }
        return answer(outcome, consumed)
    }

    private static func assembler(
        _ params: Arguments, _ inputs: Arguments
    ) throws(SubjectFault) -> RecordAssembler {
        let receiver = try params.text("receiver")
        let opening = try inputs.text("opening")
        let isInitiator = receiver == "initiator"
        guard isInitiator || receiver == "responder", opening == "hello" || opening == "protected" else {
            throw .badQuestion("params.receiver, inputs.opening")
        }
        let expectation: RecordAssembler.Expectation = isInitiator ? .helloOrRefusal : .hello
        var assembler = RecordAssembler(expecting: expectation)
        if opening == "protected" {
            var offset = 0
            // The assembler begins with the magic in any case.
            let magic = Magic.bytes
            do { _ = try assembler.next(magic.span, from: &offset) } catch {
                throw .inconsistent("refuses the magic")
            }
            assembler.expectation = .protected
        }
        if inputs.has("maximumRecordLength") {
            assembler.maximumRecordLength = try inputs.number("maximumRecordLength")
        }
        if inputs.has("allowance") { assembler.allowance = try inputs.number("allowance") }
        return assembler
    }

    /// Every offset; of a long stream its ends, and some between, because all would take quadratic time.
    private static func cuts(_ count: Int) -> [Int] {
        guard count > 4_096 else { return Array(0...count) }
        return Array(0...64) + Array(stride(from: 65, to: count - 64, by: 4_099)) + Array(count - 64...count)
    }

    private static func feed(_ bytes: [UInt8], to assembler: inout RecordAssembler, _ outcome: inout Outcome) {
        var offset = 0
        while true {
            do {
                switch try assembler.next(bytes.span, from: &offset) {
                case .needsMore: return
                case .inInput(_, let range): outcome.records.append(Array(bytes[range]))
                case .assembled: outcome.records.append(assembler.takeRecord())
                }
                assembler.expectation = .protected
            } catch {
                outcome.fault = error
                return
            }
        }
    }

    private static func answer(_ outcome: Outcome, _ consumed: Int) -> SubjectAnswer {
        let expected: JSONValue = [
            "records": .array(
                outcome.records.map { ["kind": .integer(Int($0[0])), "body": .hex(Array($0.dropFirst(3)))] }),
            "consumed": .integer(consumed),
        ]
        switch outcome.fault {
        case .none:
            let isWhole = outcome.isAtBoundary && !outcome.records.isEmpty
            return isWhole ? .accepted(expected) : .incomplete(expected)
        case .malformed: return .rejected(layer: "wire", code: "malformed", expected: expected)
        case .unexpectedKind: return .rejected(layer: "wire", code: "unexpected_record", expected: expected)
        case .limitExceeded: return .rejected(layer: "wire", code: "limit_exceeded", expected: expected)
        }
    }
}
