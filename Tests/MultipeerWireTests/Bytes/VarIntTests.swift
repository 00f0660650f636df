import MultipeerWire
import Testing

@Suite("Variable-length integers, SPEC §3.2")
struct VarIntTests {
    /// First and last value of each length, and the examples of RFC 9000 A.1, whose encoding is the same.
    static let known: [(value: UInt64, bytes: [UInt8])] = [
        (0, [0x00]), (1, [0x01]), (37, [0x25]), (63, [0x3F]),
        (64, [0x40, 0x40]), (15_293, [0x7B, 0xBD]), (16_383, [0x7F, 0xFF]),
        (16_384, [0x80, 0x00, 0x40, 0x00]), (494_878_333, [0x9D, 0x7F, 0x3E, 0x7D]),
        (1_073_741_823, [0xBF, 0xFF, 0xFF, 0xFF]),
        (1_073_741_824, [0xC0, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x00]),
        (151_288_809_941_952_652, [0xC2, 0x19, 0x7C, 0x5E, 0xFF, 0x14, 0xE8, 0x8C]),
        (4_611_686_018_427_387_903, [0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
    ]

    static func decode(_ bytes: [UInt8]) throws(WireError) -> (value: UInt64, remaining: Int) {
        var reader = Reader(bytes.span)
        let value = try reader.varint(.timeout)
        return (value, reader.remaining)
    }

    static func encode(_ value: UInt64) -> [UInt8] {
        var writer = Writer()
        writer.varint(value)
        return writer.bytes
    }

    @Test("Known values, both ways", arguments: known)
    func knownValues(value: UInt64, bytes: [UInt8]) throws {
        let decoded = try Self.decode(bytes + [0xAA])
        #expect(decoded.value == value)
        #expect(decoded.remaining == 1)
        #expect(Self.encode(value) == bytes)
        #expect(VarInt.length(of: value) == bytes.count)
    }

    @Test("The largest value is 2^62 − 1")
    func maximum() { #expect(VarInt.maximum == 4_611_686_018_427_387_903) }

    @Test("Every value up to 2^17, and the neighbours of each power of two, are decoded again")
    func everyValue() throws {
        var values = (0..<UInt64(1 << 17)).map { $0 }
        for exponent in 17..<62 {
            for distance in -2...2 { values.append(UInt64(Int64(1) << Int64(exponent) + Int64(distance))) }
        }
        var wrong: [UInt64] = []
        for value in values where value <= VarInt.maximum {
            let bytes = Self.encode(value)
            let back = try Self.decode(bytes)
            if bytes != varint(value) || back.value != value || back.remaining != 0 { wrong.append(value) }
        }
        #expect(wrong.isEmpty)
    }

    @Test("A longer form of any length is refused (R3.2-1)", arguments: known.map(\.value))
    func nonMinimal(value: UInt64) {
        for length in [2, 4, 8] where length > VarInt.length(of: value) {
            let bytes = varint(value, length: length)
            #expect(
                refusal { () throws(WireError) in try Self.decode(bytes) }
                    == WireError(.nonMinimalInteger, in: .timeout))
        }
    }

    @Test("All first bytes with all second bytes, over a tail of zeros")
    func everyBeginning() {
        var wrong: [UInt16] = []
        for beginning in UInt16.min...UInt16.max {
            let bytes = u16(beginning) + [0, 0, 0, 0, 0, 0]
            let length = [1, 2, 4, 8][Int(beginning >> 14)]
            var value = UInt64(bytes[0] & 0x3F)
            for byte in bytes[1..<length] { value = value << 8 | UInt64(byte) }
            let isShortest = varint(value).count == length
            let decoded = try? Self.decode(bytes)
            if isShortest ? decoded?.value != value || decoded?.remaining != 8 - length : decoded != nil {
                wrong.append(beginning)
            }
        }
        #expect(wrong.isEmpty)
    }

    @Test("Every prefix is truncated", arguments: known.map(\.bytes))
    func prefixes(bytes: [UInt8]) {
        for count in 0..<bytes.count {
            let prefix = [UInt8](bytes[..<count])
            #expect(refusal { () throws(WireError) in try Self.decode(prefix) } == WireError(.truncated, in: .timeout))
        }
    }

    @Test("A value above 2^62 − 1 is misuse of the writer, and traps")
    func tooLargeToWrite() async {
        await #expect(processExitsWith: .failure) {
            var writer = Writer()
            writer.varint(VarInt.maximum + 1)
        }
    }
}
