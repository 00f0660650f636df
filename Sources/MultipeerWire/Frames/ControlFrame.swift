/// What a frame carries, if that is small enough to be copied out of its record and handled as a value.
public protocol FramePayload: Sendable {
    /// Decodes the payload. The caller finishes the reader.
    init(_ payload: inout Reader) throws(WireError)

    /// Encodes the payload.
    func write(_ payload: inout Writer)
}

/// A frame of that form.
public protocol ControlFrame: FramePayload {
    /// The type of the frame.
    static var type: FrameType { get }
}

extension FramePayload {
    /// Decodes a whole payload, in which no byte may be left over (R3.3-2).
    public init(payload: Span<UInt8>) throws(WireError) {
        var reader = Reader(payload)
        try self.init(&reader)
        try reader.finish(.framePayload)
    }
}

extension ControlFrame {
    /// Encodes the whole frame, with its type and length.
    public func encoded() -> [UInt8] {
        var writer = Writer()
        writer.varint(Self.type.rawValue)
        writer.vector { payload in write(&payload) }
        return writer.bytes
    }
}
