import MultipeerWire
import Testing

@Suite("Assembling records, SPEC §6.2")
struct RecordAssemblerTests {
    static let records: [[UInt8]] = [
        record(0x01, bodyLength: 39), record(0x10, bodyLength: 18), record(0x11, bodyLength: 40),
        record(0x10, bodyLength: 300), record(0x10, bodyLength: 19),
    ]
    static let stream = Magic.bytes + records.flatMap { $0 }

    static func events(_ records: [[UInt8]]) throws -> [StreamEvent] {
        try records.map { bytes in
            let kind = try #require(RecordKind(rawValue: bytes[0]))
            return .record(RecordHeader(kind: kind, bodyLength: bytes.count - 3), bytes)
        }
    }

    @Test("The same records whole, byte by byte, and split at every offset")
    func everySplit() throws {
        let expected = try Self.events(Self.records)
        var whole = StreamReader(.hello)
        whole.receive(Self.stream)
        #expect(whole.events == expected)
        var dripped = StreamReader(.hello)
        dripped.drip(Self.stream)
        #expect(dripped.events == expected)
        for cut in 0...Self.stream.count {
            var split = StreamReader(.hello)
            split.receive(Self.stream, cutAt: [cut])
            #expect(split.events == expected)
            #expect(split.assembler.isAtBoundary)
        }
    }

    @Test("The same records in pieces of every size, and in 2,000 random splits")
    func everyPiece() throws {
        let expected = try Self.events(Self.records)
        for size in 1...Self.stream.count {
            var reader = StreamReader(.hello)
            reader.receive(Self.stream, cutAt: Array(stride(from: size, to: Self.stream.count, by: size)))
            #expect(reader.events == expected)
        }
        var random = SplitMix64(seed: 1)
        for _ in 0..<2_000 {
            let cuts = (0..<random.below(12)).map { _ in random.below(Self.stream.count + 1) }.sorted()
            var reader = StreamReader(.hello)
            reader.receive(Self.stream, cutAt: cuts)
            #expect(reader.events == expected)
        }
    }

    @Test("A whole record in the input is not copied; its range is returned")
    func inInput() throws {
        var assembler = RecordAssembler(expecting: .hello)
        var offset = 0
        let first = try assembler.next(Self.stream.span, from: &offset)
        #expect(first == .inInput(RecordHeader(kind: .hello, bodyLength: 39), 8..<50))
        #expect(offset == 50)
        assembler.expectation = .protected
        let second = try assembler.next(Self.stream.span, from: &offset)
        #expect(second == .inInput(RecordHeader(kind: .encrypted, bodyLength: 18), 50..<71))
        // Also the one that ends where the input ends.
        let alone = Self.records[2]
        offset = 0
        #expect(
            try assembler.next(alone.span, from: &offset)
                == .inInput(RecordHeader(kind: .authenticated, bodyLength: 40), 0..<43))
        #expect(offset == 43)
    }

    @Test("An assembled record waits until it is taken, and no byte after it is read")
    func waiting() throws {
        var assembler = RecordAssembler(expecting: .hello)
        var offset = 0
        let head = [UInt8](Self.stream[..<20])
        #expect(try assembler.next(head.span, from: &offset) == .needsMore)
        #expect(offset == 20)
        #expect(assembler.takeRecord().isEmpty)
        let tail = [UInt8](Self.stream[20...])
        offset = 0
        for _ in 0..<3 {
            #expect(
                try assembler.next(tail.span, from: &offset) == .assembled(RecordHeader(kind: .hello, bodyLength: 39)))
            #expect(offset == 30)
            #expect(!assembler.isAtBoundary)
        }
        #expect(assembler.takeRecord() == Self.records[0])
        #expect(assembler.takeRecord().isEmpty)
        #expect(assembler.isAtBoundary)
    }

    @Test("Only the end of a record is a boundary")
    func boundaries() {
        var ends: Set<Int> = [8]
        for record in Self.records { ends.insert((ends.max() ?? 0) + record.count) }
        var reader = StreamReader(.hello)
        for (index, byte) in Self.stream.enumerated() {
            reader.receive([byte])
            #expect(reader.assembler.isAtBoundary == ends.contains(index + 1))
        }
    }

    @Test("No input, no step")
    func emptyInput() {
        var reader = StreamReader(.hello)
        for byte in Self.stream {
            reader.receive([])
            reader.receive([byte])
        }
        #expect(reader.events.count == Self.records.count)
    }

    /// Streams with one fault, and how many bytes show it.
    static let faulty: [(stream: [UInt8], after: Int, fault: RecordFault)] = {
        let begin = Magic.bytes + records[0]
        let length = WireError(.lengthOutOfRange, in: .recordLength)
        let kind = WireError(.valueOutOfRange, in: .recordKind)
        return [
            (begin + [0x12, 0, 30] + counting(30), begin.count + 1, .malformed(kind)),
            (begin + [0x01, 0, 39] + counting(39), begin.count + 1, .unexpectedKind(.hello)),
            (begin + [0x02, 0, 3] + counting(3), begin.count + 1, .unexpectedKind(.refusal)),
            (begin + [0x10, 0, 17] + counting(17), begin.count + 3, .malformed(length)),
            (begin + [0x11, 0xFF, 0xFD] + counting(90), begin.count + 3, .malformed(length)),
            (begin + records[1] + [0x11, 0, 0], begin.count + 21 + 3, .malformed(length)),
            (Magic.bytes + [0x10, 0, 18] + counting(18), 9, .unexpectedKind(.encrypted)),
        ]
    }()

    @Test("A fault is at the same byte in every split, after the records before it", arguments: faulty)
    func faults(stream: [UInt8], after: Int, fault: RecordFault) {
        var dripped = StreamReader(.hello)
        dripped.drip(stream)
        #expect(dripped.faultAfter == after)
        #expect(dripped.events.last == .fault(fault))
        for cut in 0...stream.count {
            var split = StreamReader(.hello)
            split.receive(stream, cutAt: [cut])
            #expect(split.events == dripped.events)
        }
    }

    @Test("A fault is final, whatever follows", arguments: faulty)
    func final(stream: [UInt8], after: Int, fault: RecordFault) {
        var reader = StreamReader(.hello)
        reader.drip(stream)
        for next in [[], [0x10], Self.records[1], Magic.bytes, Self.stream] {
            for expectation in [RecordAssembler.Expectation.hello, .helloOrRefusal, .protected] {
                reader.assembler.expectation = expectation
                var offset = 0
                var thrown: RecordFault?
                do throws(RecordFault) {
                    _ = try reader.assembler.next(next.span, from: &offset)
                } catch {
                    thrown = error
                }
                #expect(thrown == fault)
                #expect(offset == 0)
            }
        }
        #expect(!reader.assembler.isAtBoundary)
        #expect(reader.assembler.takeRecord().isEmpty)
    }
}
