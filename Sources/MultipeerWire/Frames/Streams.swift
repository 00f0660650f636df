/// STREAM_OPEN (SPEC §15.6): the sender opens a stream, and may send on it at once.
public struct StreamOpen: ControlFrame, Equatable {
    public static let type = FrameType.streamOpen
    /// The greatest length of a name, in bytes.
    public static let maximumNameLength = 255

    /// The number of the stream: even from the peer with the lesser identity key, odd from the other (SPEC §13.2).
    public let id: UInt64
    /// How many bytes the opener takes in its own direction at first; 0 for a stream that goes one way.
    public let credit: UInt64
    /// What the stream is for: 0–255 bytes of well-formed UTF-8.
    public let name: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame from values that must be in range.
    public init(id: UInt64, credit: UInt64, name: [UInt8], fields: [Field] = []) {
        self.id = id
        self.credit = credit
        self.name = name
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.streamID)
        credit = try payload.varint(.streamCredit)
        name = try payload.text(0...Self.maximumNameLength, .streamName)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.varint(credit)
        payload.vector(name)
        payload.fieldList(fields)
    }
}

/// STREAM_END (SPEC §15.6): the sender's direction is complete.
public struct StreamEnd: ControlFrame, Equatable {
    public static let type = FrameType.streamEnd

    /// The number of the stream.
    public let id: UInt64
    /// How many bytes the direction had in all.
    public let size: UInt64
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(id: UInt64, size: UInt64, fields: [Field] = []) {
        self.id = id
        self.size = size
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.streamID)
        size = try payload.varint(.streamSize)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.varint(size)
        payload.fieldList(fields)
    }
}

/// STREAM_RESET (SPEC §15.6): the sender gives its direction up.
public struct StreamReset: ControlFrame, Equatable {
    public static let type = FrameType.streamReset

    /// The number of the stream.
    public let id: UInt64
    /// Why, by the table of SPEC §15.6. An unknown code means what 0 means.
    public let code: UInt64
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(id: UInt64, code: UInt64, fields: [Field] = []) {
        self.id = id
        self.code = code
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.streamID)
        code = try payload.varint(.streamCode)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.varint(code)
        payload.fieldList(fields)
    }
}

/// STREAM_STOP (SPEC §15.6): the sender asks the remote peer to give its direction up.
public struct StreamStop: ControlFrame, Equatable {
    public static let type = FrameType.streamStop

    /// The number of the stream.
    public let id: UInt64
    /// Why, by the table of SPEC §15.6. An unknown code means what 0 means.
    public let code: UInt64
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(id: UInt64, code: UInt64, fields: [Field] = []) {
        self.id = id
        self.code = code
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        id = try payload.varint(.streamID)
        code = try payload.varint(.streamCode)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(id)
        payload.varint(code)
        payload.fieldList(fields)
    }
}

/// STREAM_DATA (SPEC §15.6), as a view of the record's plaintext.
public struct StreamDataFrame: ~Escapable {
    /// The number of the stream.
    public let id: UInt64
    /// The data, at least one byte.
    public let data: Span<UInt8>

    /// Decodes a payload (R15.6-2).
    @_lifetime(copy payload)
    public init(payload: Span<UInt8>) throws(WireError) {
        var reader = Reader(payload)
        let id = try reader.varint(.streamID)
        let data = reader.rest()
        guard !data.isEmpty else { throw WireError(.lengthOutOfRange, in: .streamData) }
        self.id = id
        self.data = data
    }
}
