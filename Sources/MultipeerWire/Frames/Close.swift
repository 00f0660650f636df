/// CLOSE (SPEC §16.1): the last frame of a direction.
public struct Close: ControlFrame, Equatable {
    public static let type = FrameType.close

    /// The reason.
    public let code: CloseCode
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame with a code.
    public init(code: CloseCode, fields: [Field] = []) {
        self.code = code
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        code = CloseCode(rawValue: try payload.varint(.closeCode))
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.varint(code.rawValue)
        payload.fieldList(fields)
    }
}

/// A code of the error registry (SPEC §18). An unknown code is a valid value (R16.1-4).
public struct CloseCode: Hashable, Sendable {
    /// The number on the wire.
    public let rawValue: UInt64

    /// Creates a code from any number up to 2^62 − 1.
    public init(rawValue: UInt64) {
        self.rawValue = rawValue
    }

    public static let noError = CloseCode(rawValue: 0x00)
    public static let malformed = CloseCode(rawValue: 0x01)
    public static let unexpectedRecord = CloseCode(rawValue: 0x02)
    public static let unexpectedFrame = CloseCode(rawValue: 0x03)
    public static let unsupported = CloseCode(rawValue: 0x04)
    public static let limitExceeded = CloseCode(rawValue: 0x05)
    public static let decryptFailed = CloseCode(rawValue: 0x06)
    public static let wrongProtection = CloseCode(rawValue: 0x07)
    public static let illegalChoice = CloseCode(rawValue: 0x08)
    public static let handshakeFailed = CloseCode(rawValue: 0x09)
    public static let proofInvalid = CloseCode(rawValue: 0x0A)
    public static let unexpectedIdentity = CloseCode(rawValue: 0x0B)
    public static let ownIdentity = CloseCode(rawValue: 0x0C)
    public static let handshakeTimeout = CloseCode(rawValue: 0x0D)
    public static let invitationTimeout = CloseCode(rawValue: 0x0E)
    public static let policyViolation = CloseCode(rawValue: 0x0F)
    public static let certificateRequired = CloseCode(rawValue: 0x10)
    public static let certificateRejected = CloseCode(rawValue: 0x11)
    public static let certificateExpired = CloseCode(rawValue: 0x12)
    public static let unknownAuthority = CloseCode(rawValue: 0x13)
    public static let bindingInvalid = CloseCode(rawValue: 0x14)
    public static let verdictTimeout = CloseCode(rawValue: 0x15)
    public static let shuttingDown = CloseCode(rawValue: 0x20)
    public static let duplicateLink = CloseCode(rawValue: 0x21)
    public static let internalError = CloseCode(rawValue: 0x22)
    public static let moved = CloseCode(rawValue: 0x23)
    public static let creditExceeded = CloseCode(rawValue: 0x24)
    public static let silent = CloseCode(rawValue: 0x25)
    public static let entryInvalid = CloseCode(rawValue: 0x26)
    public static let codeWrong = CloseCode(rawValue: 0x27)
    public static let codeUnavailable = CloseCode(rawValue: 0x28)
    public static let commitmentInvalid = CloseCode(rawValue: 0x29)
    public static let stringsDiffer = CloseCode(rawValue: 0x2A)

    /// The codes of SPEC §18 with their names, in the order of that section.
    public static let registry: [(code: CloseCode, name: String)] = [
        (.noError, "no_error"), (.malformed, "malformed"), (.unexpectedRecord, "unexpected_record"),
        (.unexpectedFrame, "unexpected_frame"), (.unsupported, "unsupported"), (.limitExceeded, "limit_exceeded"),
        (.decryptFailed, "decrypt_failed"), (.wrongProtection, "wrong_protection"),
        (.illegalChoice, "illegal_choice"), (.handshakeFailed, "handshake_failed"),
        (.proofInvalid, "proof_invalid"), (.unexpectedIdentity, "unexpected_identity"),
        (.ownIdentity, "own_identity"), (.handshakeTimeout, "handshake_timeout"),
        (.invitationTimeout, "invitation_timeout"), (.policyViolation, "policy_violation"),
        (.certificateRequired, "certificate_required"), (.certificateRejected, "certificate_rejected"),
        (.certificateExpired, "certificate_expired"), (.unknownAuthority, "unknown_authority"),
        (.bindingInvalid, "binding_invalid"), (.verdictTimeout, "verdict_timeout"),
        (.shuttingDown, "shutting_down"), (.duplicateLink, "duplicate_link"), (.internalError, "internal"),
        (.moved, "moved"), (.creditExceeded, "credit_exceeded"), (.silent, "silent"), (.entryInvalid, "entry_invalid"),
        (.codeWrong, "code_wrong"), (.codeUnavailable, "code_unavailable"),
        (.commitmentInvalid, "commitment_invalid"), (.stringsDiffer, "strings_differ"),
    ]
}
