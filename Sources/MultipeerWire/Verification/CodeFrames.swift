// The frames of a one-time code (SPEC §25.6).

/// CODE_BEGIN: the typist's share, for the code of a number.
public struct CodeBegin: ControlFrame, Equatable {
    public static let type = FrameType.codeBegin

    /// The numbers that a code may have (SPEC §25.4).
    public static let numbers: ClosedRange<UInt64> = 1...999
    /// Y of SPEC §25.5, 32 bytes.
    public let share: [UInt8]
    /// The number of the code.
    public let number: UInt64
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a payload from a share of 32 bytes and a number of ``numbers``.
    public init(share: [UInt8], number: UInt64, fields: [Field] = []) {
        self.share = share
        self.number = number
        self.fields = fields
    }

    /// AD of SPEC §25.5: everything after the share.
    public var associatedData: [UInt8] {
        var writer = Writer()
        writer.varint(number)
        writer.fieldList(fields)
        return writer.bytes
    }

    public init(_ payload: inout Reader) throws(WireError) {
        share = try payload.bytes(exactly: 32, .share)
        number = try payload.varint(.codeNumber)
        // R25.6-1
        guard Self.numbers.contains(number) else { throw WireError(.valueOutOfRange, in: .codeNumber) }
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.raw(share)
        payload.raw(associatedData)
    }
}

/// CODE_ANSWER: the presenter's share.
public struct CodeAnswer: ControlFrame, Equatable {
    public static let type = FrameType.codeAnswer

    /// Y of SPEC §25.5, 32 bytes.
    public let share: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a payload from a share of 32 bytes.
    public init(share: [UInt8], fields: [Field] = []) {
        self.share = share
        self.fields = fields
    }

    /// AD of SPEC §25.5: everything after the share.
    public var associatedData: [UInt8] {
        var writer = Writer()
        writer.fieldList(fields)
        return writer.bytes
    }

    public init(_ payload: inout Reader) throws(WireError) {
        share = try payload.bytes(exactly: 32, .share)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.raw(share)
        payload.raw(associatedData)
    }
}

/// CODE_CONFIRM: that its sender has the same code.
public struct CodeConfirm: ControlFrame, Equatable {
    public static let type = FrameType.codeConfirm

    /// The confirmation of SPEC §25.5, 32 bytes.
    public let confirmation: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a payload from a confirmation of 32 bytes.
    public init(confirmation: [UInt8], fields: [Field] = []) {
        self.confirmation = confirmation
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        confirmation = try payload.bytes(exactly: 32, .codeConfirmation)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.raw(confirmation)
        payload.fieldList(fields)
    }
}
