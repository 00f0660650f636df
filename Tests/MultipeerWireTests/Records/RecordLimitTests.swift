import MultipeerWire
import Testing

@Suite("Limits of records, SPEC §19")
struct RecordLimitTests {
    static let hello = Magic.bytes + record(0x01, bodyLength: 39)

    @Test("Records beyond the maximum are refused at their header (R19-2)", arguments: [0x10, 0x11] as [UInt8])
    func maximum(kind: UInt8) {
        for (length, isFine) in [(1_020, true), (1_021, true), (1_022, false), (65_532, false)] {
            var dripped = StreamReader(.hello, maximum: 1_024)
            dripped.drip(Self.hello + [kind] + u16(UInt16(length)))
            #expect(dripped.faultAfter == (isFine ? nil : Self.hello.count + 3))
            #expect(dripped.events.last == .fault(.limitExceeded) || isFine)

            var whole = StreamReader(.hello, maximum: 1_024)
            whole.receive(Self.hello + record(kind, bodyLength: length))
            #expect(whole.isFaulty == !isFine)
            #expect(whole.events.count == 2)
        }
    }

    @Test("The maximum does not apply to hellos")
    func maximumOfHellos() {
        var reader = StreamReader(.hello, allowance: 0, maximum: 100)
        reader.receive(Magic.bytes + record(0x01, bodyLength: 1_024))
        #expect(!reader.isFaulty)
        #expect(reader.events.count == 1)
        #expect(reader.assembler.allowance == 0)
    }

    @Test("An invalid length is malformed before it is too long (R18-1)")
    func order() {
        var reader = StreamReader(.hello, allowance: 10, maximum: 1_024)
        reader.receive(Self.hello + [0x10, 0xFF, 0xFD])
        #expect(reader.events.last == .fault(.malformed(WireError(.lengthOutOfRange, in: .recordLength))))
    }

    @Test("The allowance counts headers too, and is used up exactly (R19-1)", arguments: [0, 1, 2, 7])
    func allowance(pieces: Int) {
        let records = record(0x10, bodyLength: 18) + record(0x11, bodyLength: 100) + record(0x10, bodyLength: 500)
        for (spare, isFine) in [(0, true), (1, true), (-1, false)] {
            var reader = StreamReader(.hello, allowance: records.count + spare)
            let stream = Self.hello + records
            let cuts = pieces == 0 ? Array(1..<stream.count) : (1..<pieces).map { $0 * stream.count / pieces }
            reader.receive(stream, cutAt: cuts)
            #expect(reader.isFaulty == !isFine)
            #expect(reader.events.count == 4)
            if isFine {
                #expect(reader.assembler.allowance == spare)
                reader.receive([0x10, 0, 18])
            }
            #expect(reader.events.last == .fault(.limitExceeded))
        }
    }

    @Test("131,072 bytes, to the byte (R19-1)")
    func wholeAllowance() {
        var reader = StreamReader(.hello, allowance: 131_072)
        reader.receive(Self.hello + record(0x10, bodyLength: 65_532) + record(0x10, bodyLength: 65_531))
        #expect(reader.assembler.allowance == 3)
        #expect(reader.events.count == 3)
        reader.drip([0x10, 0, 18])
        #expect(reader.events.last == .fault(.limitExceeded))
    }

    @Test("Without an allowance there is no limit")
    func unlimited() {
        var reader = StreamReader(.hello, allowance: 500)
        reader.receive(Self.hello + record(0x10, bodyLength: 400))
        reader.assembler.allowance = nil
        for _ in 0..<10 { reader.receive(record(0x11, bodyLength: 65_532)) }
        #expect(reader.events.count == 12)
        #expect(!reader.isFaulty)
    }

    /// The bytes that the assembler holds room for, seen through its mirror.
    static func capacity(_ assembler: RecordAssembler) throws -> Int {
        let partial = Mirror(reflecting: assembler).children.first { $0.label == "partial" }?.value as? [UInt8]
        return try #require(partial).capacity
    }

    @Test("Memory follows received bytes, never declared ones (R6.2-1)")
    func memory() throws {
        for piece in [1, 3, 100, 1_448] {
            var reader = StreamReader(.hello)
            reader.receive(Self.hello)
            let long = record(0x10, bodyLength: 65_532)
            var sent = 0
            while sent + piece < 20_000 {
                reader.receive([UInt8](long[sent..<sent + piece]))
                sent += piece
                #expect(try Self.capacity(reader.assembler) <= 3 * sent + 4_200)
            }
        }
    }

    @Test("The longest hello is never held with spare room, wherever it is split (R19-4)")
    func hello() throws {
        let hello = Magic.bytes + record(0x01, bodyLength: 4_096)
        for first in [1, 9, 10, 12, 600, 1_448, 1_538, 2_900, 4_106] {
            for second in [1, 2_560, 4_106 - first] where first + second < hello.count {
                var reader = StreamReader(.hello)
                reader.receive(Array(hello[..<first]))
                reader.receive(Array(hello[first..<first + second]))
                #expect(try Self.capacity(reader.assembler) <= 4_099 + 32, "\(first), \(second)")
            }
        }
    }

    @Test("Between records nothing is held")
    func idle() throws {
        var reader = StreamReader(.hello)
        reader.drip(Self.hello + record(0x10, bodyLength: 2_000))
        #expect(reader.events.count == 2)
        #expect(try Self.capacity(reader.assembler) == 0)
        var faulty = StreamReader(.hello)
        faulty.drip(Self.hello + [0x10, 0, 1])
        #expect(faulty.isFaulty)
        #expect(try Self.capacity(faulty.assembler) == 0)
    }
}
