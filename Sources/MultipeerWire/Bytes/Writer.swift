/// Puts structures together in an array. For control frames and hellos; payload goes straight into the output
/// (`OutputSpan`), without a copy here.
public struct Writer: Sendable {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []

    /// Begins with nothing.
    public init() {}

    /// One byte.
    public mutating func u8(_ value: UInt8) { bytes.append(value) }

    /// Two bytes, big-endian.
    public mutating func u16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// A varint in its shortest form (SPEC §3.2).
    /// - Precondition: `value <= VarInt.maximum`. Local values only, never a peer's, which are in range once decoded.
    public mutating func varint(_ value: UInt64) {
        bytes.append(addingCapacity: 8) { (output: inout OutputSpan<UInt8>) in output.appendVarint(value) }
    }

    /// Bytes as they are.
    public mutating func raw(_ value: [UInt8]) { bytes.append(contentsOf: value) }

    /// A vector: count of bytes, then the bytes (SPEC §3.3).
    public mutating func vector(_ value: [UInt8]) {
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// A vector whose content `body` writes.
    public mutating func vector(_ body: (inout Writer) -> Void) {
        var inner = Writer()
        body(&inner)
        vector(inner.bytes)
    }
}

extension OutputSpan<UInt8> {
    /// Appends a varint in its shortest form (SPEC §3.2).
    @_lifetime(self: copy self)
    public mutating func appendVarint(_ value: UInt64) {
        precondition(value <= VarInt.maximum, "a varint has at most 62 bits")
        let length = VarInt.length(of: value)
        let prefix = UInt64(length.trailingZeroBitCount) << UInt64(length * 8 - 2)
        let encoded = value | prefix
        for index in (0..<length).reversed() {
            append(UInt8(truncatingIfNeeded: encoded >> UInt64(index * 8)))
        }
    }

    /// Appends two bytes, big-endian.
    @_lifetime(self: copy self)
    public mutating func appendU16(_ value: UInt16) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends a copy of `span`; the optimiser makes a block copy of the loop.
    @_lifetime(self: copy self)
    public mutating func append(copying span: Span<UInt8>) {
        for index in 0..<span.count { append(span[index]) }
    }
}
