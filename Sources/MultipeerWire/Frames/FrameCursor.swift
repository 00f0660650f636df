/// A frame in the plaintext of a record: its type, known or not, and its payload (SPEC §6.3).
public struct RawFrame: ~Escapable {
    /// The type, as the peer sent it.
    public let rawType: UInt64
    /// The payload.
    public let payload: Span<UInt8>
    /// The whole frame, with its type and length.
    public let encoded: Span<UInt8>

    @usableFromInline
    @_lifetime(copy payload, copy encoded)
    init(rawType: UInt64, payload: Span<UInt8>, encoded: Span<UInt8>) {
        self.rawType = rawType
        self.payload = payload
        self.encoded = encoded
    }

    /// The type, or nil if it is unknown.
    @inlinable
    public var type: FrameType? { FrameType(rawValue: rawType) }

    /// Whether a receiver that does not know the type skips the frame (SPEC §6.4).
    @inlinable
    public var isIgnorable: Bool { rawType % 2 == 1 }
}

/// A cursor over the frames of one record's plaintext. It neither copies nor allocates.
public struct FrameCursor: ~Escapable {
    @usableFromInline
    var bytes: Span<UInt8>
    @usableFromInline
    var offset: Int

    /// Creates a cursor at the beginning of `plaintext`.
    @inlinable
    @_lifetime(copy plaintext)
    public init(_ plaintext: Span<UInt8>) {
        self.bytes = plaintext
        self.offset = 0
    }

    /// Whether no frame is left.
    @inlinable
    public var isAtEnd: Bool { offset >= bytes.count }

    /// Returns the next frame, or nil at the end.
    @inlinable
    @_lifetime(copy self)
    public mutating func next() throws(WireError) -> RawFrame? {
        guard offset < bytes.count else { return nil }
        var reader = Reader(bytes)
        reader.offset = offset
        let rawType = try reader.varint(.frameType)
        let payload = try reader.vector(0...FrameType.maximumPayloadLength, .framePayload)
        let encoded = bytes.extracting(offset..<reader.offset)
        offset = reader.offset
        return RawFrame(rawType: rawType, payload: payload, encoded: encoded)
    }
}
