// The frames of a short string (SPEC §25.6).

/// STRING_ASK: the responder's person wants to compare.
public struct StringAsk: ControlFrame, Equatable {
    public static let type = FrameType.stringAsk

    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a payload.
    public init(fields: [Field] = []) {
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.fieldList(fields)
    }
}

/// STRING_COMMIT: what the initiator's nonce will be compared with.
public struct StringCommit: ControlFrame, Equatable {
    public static let type = FrameType.stringCommit

    /// The commitment of SPEC §25.3, 32 bytes.
    public let commitment: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a payload from a commitment of 32 bytes.
    public init(commitment: [UInt8], fields: [Field] = []) {
        self.commitment = commitment
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        commitment = try payload.bytes(exactly: 32, .commitment)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.raw(commitment)
        payload.fieldList(fields)
    }
}

/// STRING_NONCE: the responder's nonce.
public struct StringNonce: ControlFrame, Equatable {
    public static let type = FrameType.stringNonce

    /// The nonce, 32 bytes.
    public let nonce: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a payload from a nonce of 32 bytes.
    public init(nonce: [UInt8], fields: [Field] = []) {
        self.nonce = nonce
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        nonce = try payload.bytes(exactly: 32, .nonce)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.raw(nonce)
        payload.fieldList(fields)
    }
}

/// STRING_REVEAL: the initiator's nonce, which it has committed to.
public struct StringReveal: ControlFrame, Equatable {
    public static let type = FrameType.stringReveal

    /// The nonce, 32 bytes.
    public let nonce: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a payload from a nonce of 32 bytes.
    public init(nonce: [UInt8], fields: [Field] = []) {
        self.nonce = nonce
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        nonce = try payload.bytes(exactly: 32, .nonce)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.raw(nonce)
        payload.fieldList(fields)
    }
}
