import MultipeerWire
import Testing

@Suite("Record kinds and lengths, SPEC §6.2")
struct RecordHeaderTests {
    /// The table of SPEC §6.2.
    static let table: [(kind: UInt8, lengths: ClosedRange<Int>)] = [
        (0x01, 39...4_096), (0x02, 3...256), (0x10, 18...65_532), (0x11, 18...65_532),
    ]

    /// Which kinds R6.2-2 allows where.
    static let allowed: [(expectation: RecordAssembler.Expectation, kinds: [UInt8])] = [
        (.hello, [0x01]), (.helloOrRefusal, [0x01, 0x02]), (.protected, [0x10, 0x11]),
    ]

    static func kind(_ byte: UInt8) throws -> RecordKind { try #require(RecordKind(rawValue: byte)) }

    @Test("Kinds, names and lengths", arguments: table)
    func registry(kind: UInt8, lengths: ClosedRange<Int>) throws {
        #expect(try Self.kind(kind).bodyLengths == lengths)
        for length in [lengths.lowerBound, lengths.upperBound] {
            let header = RecordHeader(kind: try Self.kind(kind), bodyLength: length)
            #expect(header.recordLength == 3 + length)
            #expect([header.bytes[0], header.bytes[1], header.bytes[2]] == [kind] + u16(UInt16(length)))
        }
    }

    @Test("Sizes that follow from each other")
    func sizes() {
        #expect(RecordHeader.length == 3)
        #expect(RecordHeader.maximumRecordLength == 65_535)
        #expect(RecordHeader.maximumPlaintextLength == 65_535 - 3 - 16)
        #expect((UInt8.min...UInt8.max).filter { RecordKind(rawValue: $0) != nil } == Self.table.map(\.kind))
    }

    @Test("Every kind byte against every expectation, at the first byte (R6.2-1, R6.2-2)", arguments: allowed)
    func kinds(expectation: RecordAssembler.Expectation, kinds: [UInt8]) {
        for byte in UInt8.min...UInt8.max {
            let expected: [StreamEvent] =
                if kinds.contains(byte) {
                    []
                } else if let known = RecordKind(rawValue: byte) {
                    [.fault(.unexpectedKind(known))]
                } else {
                    [.fault(.malformed(WireError(.valueOutOfRange, in: .recordKind)))]
                }
            var alone = StreamReader(expectation)
            alone.drip(Magic.bytes + [byte])
            #expect(alone.events == expected)

            // With a length that no kind allows after it: the kind is judged first (R18-1).
            var behind = StreamReader(expectation)
            behind.receive(Magic.bytes + [byte, 0, 0])
            let tooShort = StreamEvent.fault(.malformed(WireError(.lengthOutOfRange, in: .recordLength)))
            #expect(behind.events == (expected.isEmpty ? [tooShort] : expected))
        }
    }

    @Test("Every length of every kind, as soon as the header is complete (R6.2-1)", arguments: table)
    func lengths(kind: UInt8, lengths: ClosedRange<Int>) {
        let expectation = Self.expectation(kind)
        var wrong: [Int] = []
        for length in 0...65_535 {
            var whole = StreamReader(expectation)
            whole.receive(Magic.bytes + [kind] + u16(UInt16(length)))
            let malformed = StreamEvent.fault(.malformed(WireError(.lengthOutOfRange, in: .recordLength)))
            if whole.events != (lengths.contains(length) ? [] : [malformed]) { wrong.append(length) }
        }
        #expect(wrong.isEmpty)
    }

    @Test("At the limits, the third byte of the header shows the fault, not the second", arguments: table)
    func earliest(kind: UInt8, lengths: ClosedRange<Int>) {
        for length in [0, lengths.lowerBound - 1, lengths.upperBound + 1, 65_535] {
            var dripped = StreamReader(Self.expectation(kind))
            dripped.drip(Magic.bytes + [kind] + u16(UInt16(length)) + counting(20))
            #expect(dripped.faultAfter == 8 + 3)
            #expect(dripped.events == [.fault(.malformed(WireError(.lengthOutOfRange, in: .recordLength)))])
        }
    }

    @Test("The shortest and the longest record of each kind are read whole", arguments: table)
    func edges(kind: UInt8, lengths: ClosedRange<Int>) throws {
        for length in [lengths.lowerBound, lengths.lowerBound + 1, lengths.upperBound - 1, lengths.upperBound] {
            let bytes = record(kind, bodyLength: length)
            let expected = [StreamEvent.record(RecordHeader(kind: try Self.kind(kind), bodyLength: length), bytes)]
            var whole = StreamReader(Self.expectation(kind))
            whole.receive(Magic.bytes + bytes)
            #expect(whole.events == expected)
            var dripped = StreamReader(Self.expectation(kind))
            dripped.drip(Magic.bytes + bytes)
            #expect(dripped.events == expected)
            #expect(dripped.assembler.isAtBoundary)
        }
    }

    @Test("A header that the writer may not write traps")
    func writersDuty() async {
        await #expect(processExitsWith: .failure) { _ = RecordHeader(kind: .encrypted, bodyLength: 17) }
        await #expect(processExitsWith: .failure) { _ = RecordHeader(kind: .hello, bodyLength: 4_097) }
    }

    static func expectation(_ kind: UInt8) -> RecordAssembler.Expectation {
        kind == 0x01 ? .hello : kind == 0x02 ? .helloOrRefusal : .protected
    }
}
