/// What credit is kept of, each for one direction of a link (SPEC §13.3).
public enum CreditKind: UInt8, Sendable, CaseIterable {
    /// 64 for each message, and each of its bytes.
    case messages = 0
    /// 1 for each STREAM_OPEN.
    case openings = 1
    /// 1 for each FILE_OFFER.
    case offers = 2
    /// Each byte of one stream.
    case stream = 3
    /// The position in one file.
    case file = 4

    /// Whether the credit belongs to one stream or file, which the frame then names.
    public var isNumbered: Bool { self == .stream || self == .file }
}

/// CREDIT (SPEC §13.4): raises the limit of one kind, for what its receiver sends. It has no field list.
public struct Credit: ControlFrame, Equatable {
    public static let type = FrameType.credit

    /// What the limit is for.
    public let kind: CreditKind
    /// The number of the stream or file; 0 for the other kinds.
    public let id: UInt64
    /// The limit, compared with all that has been used since the link was open.
    public let limit: UInt64

    /// Creates a frame. `id` must be 0 unless the kind is numbered.
    public init(kind: CreditKind, id: UInt64 = 0, limit: UInt64) {
        self.kind = kind
        self.id = id
        self.limit = limit
    }

    public init(_ payload: inout Reader) throws(WireError) {
        // R13.4-1
        guard let kind = CreditKind(rawValue: try payload.u8(.creditKind)) else {
            throw WireError(.unknownCritical, in: .creditKind)
        }
        self.kind = kind
        id = try payload.varint(.creditID)
        guard id == 0 || kind.isNumbered else { throw WireError(.valueOutOfRange, in: .creditID) }
        limit = try payload.varint(.creditLimit)
    }

    public func write(_ payload: inout Writer) {
        payload.u8(kind.rawValue)
        payload.varint(id)
        payload.varint(limit)
    }
}

/// ACK (SPEC §13.6): how many counted frames of its receiver's the sender has processed. It has no field list.
public struct Ack: ControlFrame, Equatable {
    public static let type = FrameType.ack

    /// How many, since the association began.
    public let count: UInt64

    /// Creates a frame.
    public init(count: UInt64) { self.count = count }

    public init(_ payload: inout Reader) throws(WireError) { count = try payload.varint(.acknowledgedCount) }

    public func write(_ payload: inout Writer) { payload.varint(count) }
}

/// PING (SPEC §13.7): asks for PONG with the same data. It has no field list.
public struct Ping: ControlFrame, Equatable {
    public static let type = FrameType.ping
    /// The length of the data, in bytes.
    public static let dataLength = 8

    /// What PONG repeats, 8 bytes.
    public let data: [UInt8]

    /// Creates a frame from 8 bytes.
    public init(data: [UInt8]) { self.data = data }

    public init(_ payload: inout Reader) throws(WireError) {
        data = try payload.bytes(exactly: Self.dataLength, .pingData)
    }

    public func write(_ payload: inout Writer) { payload.raw(data) }
}

/// PONG (SPEC §13.7): the answer to PING. It has no field list.
public struct Pong: ControlFrame, Equatable {
    public static let type = FrameType.pong

    /// What PING said, 8 bytes.
    public let data: [UInt8]

    /// Creates a frame from 8 bytes.
    public init(data: [UInt8]) { self.data = data }

    public init(_ payload: inout Reader) throws(WireError) {
        data = try payload.bytes(exactly: Ping.dataLength, .pingData)
    }

    public func write(_ payload: inout Writer) { payload.raw(data) }
}
