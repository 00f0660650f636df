/// A writer that builds a structure in an array. Control frames and hellos use it. Payload is written straight into the
/// output (`OutputSpan`), without this copy.
public struct Writer: Sendable {
    /// The bytes written so far.
    public private(set) var bytes: [UInt8] = []

    /// Creates an empty writer.
    public init() {}

    /// Writes one byte.
    public mutating func u8(_ value: UInt8) { bytes.append(value) }

    /// Writes two bytes, big-endian.
    public mutating func u16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// Writes a varint in its shortest form (SPEC §3.2).
    /// - Precondition: `value <= VarInt.maximum`. Decoded values of a peer are always in range.
    public mutating func varint(_ value: UInt64) {
        bytes.append(addingCapacity: 8) { (output: inout OutputSpan<UInt8>) in output.appendVarint(value) }
    }

    /// Writes bytes as they are.
    public mutating func raw(_ value: [UInt8]) { bytes.append(contentsOf: value) }

    /// Writes a vector: the count of bytes, then the bytes (SPEC §3.3).
    public mutating func vector(_ value: [UInt8]) {
        varint(UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    /// Writes a vector whose content `body` writes.
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
        // Most are so short that a loop costs more than they do.
        if value < 0x40 { return append(UInt8(truncatingIfNeeded: value)) }
        if value < 0x4000 { return appendU16(UInt16(truncatingIfNeeded: value) | 0x4000) }
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

    /// Appends a copy of `span`. The optimiser turns both loops into block copies. Because `append` can fail, the first one leaves up to
    /// 32 bytes to be copied one by one; the second one leaves none, and its room is written twice. Either matters where the other does not.
    @_lifetime(self: copy self)
    public mutating func append(copying span: Span<UInt8>) {
        guard span.count <= 512 else {
            for index in 0..<span.count { append(span[index]) }
            return
        }
        let start = count
        append(repeating: 0, count: span.count)
        var all = mutableSpan
        var room = all._mutatingExtracting(droppingFirst: start)
        for index in 0..<min(room.count, span.count) { room[index] = span[index] }
    }
}
