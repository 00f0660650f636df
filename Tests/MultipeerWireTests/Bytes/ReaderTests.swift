import MultipeerWire
import Testing

@Suite("Structures, SPEC §3.1")
struct ReaderTests {
    @Test("Integers are big-endian, and are taken in order")
    func integers() throws {
        let bytes: [UInt8] = [0x12, 0x34, 0x56, 0xFE, 0xDC]
        var reader = Reader(bytes.span)
        #expect(try reader.u8(.reason) == 0x12)
        #expect(try reader.u16(.algorithm) == 0x3456)
        #expect(reader.remaining == 2)
        #expect(try reader.u16(.algorithm) == 0xFEDC)
        try reader.finish(.framePayload)
    }

    @Test("Taking more than is left names the field", arguments: [0, 1])
    func truncatedIntegers(count: Int) {
        let bytes = counting(count)
        let error = refusal { () throws(WireError) in
            var reader = Reader(bytes.span)
            _ = try reader.u16(.algorithm)
        }
        #expect(error == WireError(.truncated, in: .algorithm))
        #expect(error?.closeCode == .malformed)
    }

    @Test("Exactly the requested number of bytes, or none", arguments: 0...6)
    func take(count: Int) {
        let bytes = counting(5)
        var taken: [UInt8]?
        let error = refusal { () throws(WireError) in
            var reader = Reader(bytes.span)
            taken = try reader.bytes(exactly: count, .nonce)
        }
        #expect(taken == (count <= 5 ? counting(count) : nil))
        #expect(error == (count <= 5 ? nil : WireError(.truncated, in: .nonce)))
    }

    @Test("An impossible count is refused, and does not trap", arguments: [-1, Int.min, Int.max])
    func absurdCounts(count: Int) {
        let bytes = counting(5)
        let error = refusal { () throws(WireError) in
            var reader = Reader(bytes.span)
            _ = try reader.u8(.reason)
            _ = try reader.take(count, .nonce)
        }
        #expect(error == WireError(.truncated, in: .nonce))
    }

    @Test("The rest is everything that is left, and may be empty", arguments: 0...4)
    func rest(taken: Int) throws {
        let bytes = counting(4)
        var reader = Reader(bytes.span)
        _ = try reader.take(taken, .nonce)
        let rest = [UInt8](copying: reader.rest())
        #expect(rest == [UInt8](bytes[taken...]))
        #expect(reader.remaining == 0)
        let again = [UInt8](copying: reader.rest())
        #expect(again.isEmpty)
    }

    @Test("Bytes left over are malformed (R3.3-2)", arguments: 0...3)
    func finish(left: Int) {
        let bytes = counting(left + 1)
        let error = refusal { () throws(WireError) in
            var reader = Reader(bytes.span)
            _ = try reader.u8(.reason)
            try reader.finish(.framePayload)
        }
        #expect(error == (left == 0 ? nil : WireError(.trailingBytes, in: .framePayload)))
    }
}

@Suite("Vectors, SPEC §3.3")
struct VectorTests {
    static func decode(_ bytes: [UInt8], _ limits: ClosedRange<Int>) throws(WireError) -> [UInt8] {
        var reader = Reader(bytes.span)
        let content = try reader.bytes(limits, .context)
        try reader.finish(.framePayload)
        return content
    }

    @Test("Every count from 0 to 200 against the range 3…100")
    func limits() {
        for count in 0...200 {
            let content = counting(count)
            let error = refusal { () throws(WireError) in try Self.decode(vector(content), 3...100) }
            let isInRange = count >= 3 && count <= 100
            #expect(error == (isInRange ? nil : WireError(.lengthOutOfRange, in: .context)))
            if isInRange { #expect((try? Self.decode(vector(content), 3...100)) == content) }
        }
    }

    @Test("A count that exceeds what is left (R3.3-1)")
    func beyondTheEnd() {
        for count in 1...300 {
            let bytes = [UInt8](vector(counting(count)).dropLast())
            let error = refusal { () throws(WireError) in try Self.decode(bytes, 0...1_000) }
            #expect(error == WireError(.lengthOutOfRange, in: .context))
        }
    }

    @Test("Counts above any machine's limit", arguments: [UInt64(1) << 30, 1 << 31, 1 << 32, 1 << 61, VarInt.maximum])
    func absurdCounts(count: UInt64) {
        let bytes = varint(count) + counting(40)
        let error = refusal { () throws(WireError) in try Self.decode(bytes, 0...Int.max) }
        #expect(error == WireError(.lengthOutOfRange, in: .context))
    }

    @Test("A count in a longer form (R3.2-1)", arguments: [2, 4, 8])
    func nonMinimalCount(length: Int) {
        let bytes = varint(5, length: length) + counting(5)
        let error = refusal { () throws(WireError) in try Self.decode(bytes, 0...100) }
        #expect(error == WireError(.nonMinimalInteger, in: .context))
    }
}

@Suite("Writer, SPEC §3")
struct WriterTests {
    @Test("Structures are joined without padding")
    func structure() {
        var writer = Writer()
        writer.u8(0xAB)
        writer.u16(0x1234)
        writer.varint(16_384)
        writer.raw([1, 2, 3])
        writer.vector([4, 5])
        writer.vector { outer in
            outer.u8(6)
            outer.vector { $0.raw([7, 8]) }
        }
        #expect(writer.bytes == [0xAB, 0x12, 0x34, 0x80, 0, 0x40, 0, 1, 2, 3, 2, 4, 5, 4, 6, 2, 7, 8])
    }

    @Test("A vector's count is in its shortest form", arguments: [0, 1, 63, 64, 16_383, 16_384, 70_000])
    func counts(count: Int) {
        let content = counting(count)
        var plain = Writer()
        plain.vector(content)
        #expect(plain.bytes == vector(content))
        var nested = Writer()
        nested.vector { $0.raw(content) }
        #expect(nested.bytes == vector(content))
    }

    @Test("Writing straight into an output span")
    func outputSpan() {
        let tail = counting(300)
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: 400) { (output: inout OutputSpan<UInt8>) in
            output.appendU16(0xCAFE)
            for (value, _) in VarIntTests.known { output.appendVarint(value) }
            output.append(copying: tail.span)
        }
        #expect(bytes == [0xCA, 0xFE] + VarIntTests.known.flatMap(\.bytes) + tail)
    }
}
