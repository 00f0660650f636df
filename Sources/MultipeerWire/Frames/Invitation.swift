/// A peer's preference for the encryption of payload (SPEC §8.2, §11).
public enum EncryptionPreference: UInt8, Sendable, CaseIterable {
    /// Payload is readable. There is no session if the remote peer requires encryption.
    case none = 0
    /// Payload is encrypted, unless the remote peer's preference is ``none``.
    case optional = 1
    /// Payload is encrypted, or there is no session.
    case required = 2
}

/// The protection of a link's payload (SPEC §8.3, §11).
public enum EncryptionOutcome: UInt8, Sendable, CaseIterable {
    /// Payload is authenticated and not encrypted.
    case readable = 0
    /// Payload is authenticated and encrypted.
    case encrypted = 1
}

/// What a peer shows in addition to its identity key (SPEC §8.2).
public enum IdentityKind: UInt8, Sendable, CaseIterable {
    /// No certificate.
    case none = 0
    /// A chain of X.509 certificates.
    case x509 = 1
}

extension Reader {
    @_lifetime(self: copy self)
    fileprivate mutating func sessionKind() throws(WireError) -> SessionKind {
        guard let kind = SessionKind(rawValue: try u8(.sessionKind)) else {
            throw WireError(.unknownCritical, in: .sessionKind)
        }
        return kind
    }

    @_lifetime(self: copy self)
    fileprivate mutating func preference() throws(WireError) -> EncryptionPreference {
        guard let preference = EncryptionPreference(rawValue: try u8(.preference)) else {
            throw WireError(.valueOutOfRange, in: .preference)
        }
        return preference
    }

    @_lifetime(self: copy self)
    fileprivate mutating func identityKind() throws(WireError) -> IdentityKind {
        guard let kind = IdentityKind(rawValue: try u8(.identityKind)) else {
            throw WireError(.unknownCritical, in: .identityKind)
        }
        return kind
    }
}

/// INVITE (SPEC §8.2).
public struct Invite: ControlFrame, Equatable {
    public static let type = FrameType.invite
    /// The greatest length of a context, in bytes.
    public static let maximumContextLength = 16_384
    /// The range of ``timeout``, in milliseconds.
    public static let timeoutRange: ClosedRange<UInt64> = 1...600_000

    /// What the session is.
    public let charter: Charter
    /// Whether the session is a new one.
    public let sessionKind: SessionKind
    public let preference: EncryptionPreference
    public let identityKind: IdentityKind
    /// The time that the inviter waits for an answer, in milliseconds.
    public let timeout: UInt64
    /// The app's context, 0–16,384 bytes, which is opaque to the protocol.
    public let context: [UInt8]
    /// The sender's chain of admissions: there unless the session is a new one (R8.2-7). The founder's is empty.
    public let chain: [Admission]?
    /// The fields that later versions may define.
    public let fields: [Field]

    /// The type of the field that holds ``chain``.
    static let chainField: UInt64 = 0x02

    /// Creates a frame from values that must be in range.
    public init(
        charter: Charter, sessionKind: SessionKind, preference: EncryptionPreference, identityKind: IdentityKind,
        timeout: UInt64, context: [UInt8], chain: [Admission]? = nil, fields: [Field] = []
    ) {
        self.charter = charter
        self.sessionKind = sessionKind
        self.preference = preference
        self.identityKind = identityKind
        self.timeout = timeout
        self.context = context
        self.chain = chain
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        charter = try payload.charter()
        sessionKind = try payload.sessionKind()
        preference = try payload.preference()
        identityKind = try payload.identityKind()
        timeout = try payload.varint(.timeout)
        guard Self.timeoutRange.contains(timeout) else { throw WireError(.valueOutOfRange, in: .timeout) }
        context = try payload.bytes(0...Self.maximumContextLength, .context)
        var list = Reader(try payload.vector(0...Field.maximumInvitationListLength, .fields))
        var (fields, chain): ([Field], [Admission]?) = ([], nil)
        while list.remaining > 0 {
            let field = try list.field(after: fields.last, even: .invite)
            // A value is judged in its place, and whether it may be there after all fields (R8.2-7, SPEC §3.4).
            if field.type == Self.chainField { chain = try Admission.chain(field.value.span) }
            fields.append(field)
        }
        guard (chain == nil) == (sessionKind == .new) else { throw WireError(.valueOutOfRange, in: .admissions) }
        self.chain = chain
        self.fields = fields.filter { $0.type != Self.chainField }
    }

    public func write(_ payload: inout Writer) {
        charter.write(&payload)
        payload.u8(sessionKind.rawValue)
        payload.u8(preference.rawValue)
        payload.u8(identityKind.rawValue)
        payload.varint(timeout)
        payload.vector(context)
        payload.fieldList(allFields)
    }

    /// ``fields`` with the chain in its place, as they are on the wire.
    public var allFields: [Field] {
        guard let chain else { return fields }
        let field = Field(type: Self.chainField, value: Admission.encode(chain))
        return fields.filter { $0.type < field.type } + [field] + fields.filter { $0.type > field.type }
    }
}

/// ACCEPT (SPEC §8.3).
public struct Accept: ControlFrame, Equatable {
    public static let type = FrameType.accept

    public let preference: EncryptionPreference
    public let identityKind: IdentityKind
    public let outcome: EncryptionOutcome
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(
        preference: EncryptionPreference, identityKind: IdentityKind, outcome: EncryptionOutcome, fields: [Field] = []
    ) {
        self.preference = preference
        self.identityKind = identityKind
        self.outcome = outcome
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        preference = try payload.preference()
        identityKind = try payload.identityKind()
        guard let outcome = EncryptionOutcome(rawValue: try payload.u8(.outcome)) else {
            throw WireError(.valueOutOfRange, in: .outcome)
        }
        self.outcome = outcome
        fields = try payload.fieldList(maximum: Field.maximumInvitationListLength)
    }

    public func write(_ payload: inout Writer) {
        payload.u8(preference.rawValue)
        payload.u8(identityKind.rawValue)
        payload.u8(outcome.rawValue)
        payload.fieldList(fields)
    }
}

/// DECLINE (SPEC §8.4).
public struct Decline: ControlFrame, Equatable {
    public static let type = FrameType.decline

    /// Why there is no session.
    public enum Reason: Hashable, Sendable {
        /// The app declined. An unknown reason also means this (R8.4-1).
        case declined
        /// The invitee has no room for another session.
        case busy
        /// The preferences are incompatible. The associated value is the invitee's.
        case encryptionPolicy(EncryptionPreference)
        /// The app did not answer in time.
        case timeout
        /// The invitee is no present member of the session (SPEC §14.8).
        case noSession
        /// The invitee takes no more members (SPEC §14.8).
        case full
    }

    public let reason: Reason
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(_ reason: Reason, fields: [Field] = []) {
        self.reason = reason
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        let number = try payload.u8(.reason)
        let detail = try payload.vector(0...64, .detail)
        reason = try Reason(number, detail: detail)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.u8(reason.number)
        if case .encryptionPolicy(let preference) = reason {
            payload.vector([preference.rawValue])
        } else {
            payload.vector([])
        }
        payload.fieldList(fields)
    }
}

extension Decline.Reason {
    fileprivate init(_ number: UInt8, detail: Span<UInt8>) throws(WireError) {
        var detail = Reader(detail)
        switch number {
        case 1: self = .declined
        case 2: self = .busy
        case 3: self = .encryptionPolicy(try detail.preference())
        case 4: self = .timeout
        case 6: self = .noSession
        case 7: self = .full
        default:
            self = .declined
            return
        }
        try detail.finish(.detail)
    }

    fileprivate var number: UInt8 {
        switch self {
        case .declined: 1
        case .busy: 2
        case .encryptionPolicy: 3
        case .timeout: 4
        case .noSession: 6
        case .full: 7
        }
    }
}

/// CANCEL (SPEC §8.5).
public struct Cancel: ControlFrame, Equatable {
    public static let type = FrameType.cancel

    /// Why the invitation is withdrawn.
    public enum Reason: UInt8, Sendable, CaseIterable {
        /// The app withdrew the invitation. An unknown reason also means this.
        case cancelled = 1
        /// Nobody answered in time.
        case timeout = 2
    }

    public let reason: Reason
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame.
    public init(_ reason: Reason, fields: [Field] = []) {
        self.reason = reason
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        reason = Reason(rawValue: try payload.u8(.reason)) ?? .cancelled
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.u8(reason.rawValue)
        payload.fieldList(fields)
    }
}
