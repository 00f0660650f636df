/// A reader of bytes from a peer, field by field. Every error is a ``WireError`` that names the field.
///
/// A reader reads complete structures only. ``RecordAssembler`` decides whether enough bytes have arrived, so a reader
/// never asks for more.
public struct Reader: ~Escapable {
    @usableFromInline
    var bytes: Span<UInt8>
    @usableFromInline
    var offset: Int

    /// Creates a reader at the beginning of `bytes`.
    @inlinable
    @_lifetime(copy bytes)
    public init(_ bytes: Span<UInt8>) {
        self.bytes = bytes
        self.offset = 0
    }

    /// The number of bytes that are left.
    @inlinable
    public var remaining: Int { bytes.count - offset }

    /// Takes one byte.
    @inlinable
    @_lifetime(self: copy self)
    public mutating func u8(_ field: WireField) throws(WireError) -> UInt8 {
        guard offset < bytes.count else { throw WireError(.truncated, in: field) }
        defer { offset += 1 }
        return bytes[offset]
    }

    /// Takes two bytes, big-endian.
    @_lifetime(self: copy self)
    public mutating func u16(_ field: WireField) throws(WireError) -> UInt16 {
        let high = try u8(field)
        return UInt16(high) << 8 | UInt16(try u8(field))
    }

    /// Takes a varint in its shortest form (SPEC §3.2).
    @inlinable
    @_lifetime(self: copy self)
    public mutating func varint(_ field: WireField) throws(WireError) -> UInt64 {
        let first = try u8(field)
        // Nearly all are so short that a loop costs more than they do.
        if first < 0x40 { return UInt64(first) }
        guard first < 0x80 else { return try longVarint(first, field) }
        let value = UInt64(first & 0x3F) << 8 | UInt64(try u8(field))
        guard value >= 0x40 else { throw WireError(.nonMinimalInteger, in: field) }
        return value
    }

    /// A varint of four or eight bytes.
    @usableFromInline
    @_lifetime(self: copy self)
    mutating func longVarint(_ first: UInt8, _ field: WireField) throws(WireError) -> UInt64 {
        let length = 1 << Int(first >> 6)
        var value = UInt64(first & 0x3F)
        for _ in 1..<length { value = value << 8 | UInt64(try u8(field)) }
        guard VarInt.length(of: value) == length else { throw WireError(.nonMinimalInteger, in: field) }
        return value
    }

    /// Takes exactly `count` bytes.
    @inlinable
    @_lifetime(copy self)
    public mutating func take(_ count: Int, _ field: WireField) throws(WireError) -> Span<UInt8> {
        guard count >= 0, count <= remaining else { throw WireError(.truncated, in: field) }
        defer { offset += count }
        return bytes.extracting(offset..<offset + count)
    }

    /// Takes a vector: a count of bytes within `limits`, then that many bytes (SPEC §3.3).
    @inlinable
    @_lifetime(copy self)
    public mutating func vector(_ limits: ClosedRange<Int>, _ field: WireField) throws(WireError) -> Span<UInt8> {
        let count = try varint(field)
        guard count <= UInt64(limits.upperBound), Int(count) >= limits.lowerBound, Int(count) <= remaining else {
            throw WireError(.lengthOutOfRange, in: field)
        }
        return try take(Int(count), field)
    }

    /// Takes a vector and copies it.
    @_lifetime(self: copy self)
    public mutating func bytes(_ limits: ClosedRange<Int>, _ field: WireField) throws(WireError) -> [UInt8] {
        [UInt8](copying: try vector(limits, field))
    }

    /// Takes exactly `count` bytes and copies them.
    @_lifetime(self: copy self)
    public mutating func bytes(exactly count: Int, _ field: WireField) throws(WireError) -> [UInt8] {
        [UInt8](copying: try take(count, field))
    }

    /// Takes all bytes that are left.
    @inlinable
    @_lifetime(copy self)
    public mutating func rest() -> Span<UInt8> {
        defer { offset = bytes.count }
        return bytes.extracting(offset..<bytes.count)
    }

    /// Ends the structure, in which no byte may be left over (R3.3-2).
    @inlinable
    public consuming func finish(_ field: WireField) throws(WireError) {
        guard remaining == 0 else { throw WireError(.trailingBytes, in: field) }
    }
}

extension [UInt8] {
    /// Creates an array with a copy of `span`.
    @inlinable
    public init(copying span: Span<UInt8>) {
        self = []
        append(copying: span)
    }

    /// Appends a copy of `span`.
    @inlinable
    public mutating func append(copying span: Span<UInt8>) {
        append(addingCapacity: span.count) { (output: inout OutputSpan<UInt8>) in
            output.append(copying: span)
        }
    }
}
