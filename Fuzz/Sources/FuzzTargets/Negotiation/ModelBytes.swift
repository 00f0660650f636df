/// Bytes that are read from the front as SPEC §3 says. Shares no code with the reader under test.
struct ModelBytes {
    /// SPEC §3.5.
    struct Malformed: Error {}

    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func take(_ count: Int) throws(Malformed) -> [UInt8] {
        guard rest.count >= count else { throw Malformed() }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func u16() throws(Malformed) -> UInt16 {
        let bytes = try take(2)
        return UInt16(bytes[0]) * 256 + UInt16(bytes[1])
    }

    /// SPEC §3.2.
    mutating func varint() throws(Malformed) -> UInt64 {
        guard let first = rest.first else { throw Malformed() }
        let (length, least): (Int, UInt64) =
            first < 0x40 ? (1, 0) : first < 0x80 ? (2, 64) : first < 0xC0 ? (4, 16_384) : (8, 1_073_741_824)
        let value = try take(length).enumerated().reduce(UInt64(0)) { sum, next in
            sum * 256 + UInt64(next.offset == 0 ? next.element % 64 : next.element)
        }
        guard value >= least else { throw Malformed() }
        return value
    }

    /// SPEC §3.3.
    mutating func vector(_ limits: ClosedRange<Int>) throws(Malformed) -> ModelBytes {
        let count = try varint()
        guard count <= UInt64(limits.upperBound), count >= UInt64(limits.lowerBound) else { throw Malformed() }
        return ModelBytes(try take(Int(count)))
    }

    /// R3.3-2.
    func end() throws(Malformed) {
        guard rest.isEmpty else { throw Malformed() }
    }
}
