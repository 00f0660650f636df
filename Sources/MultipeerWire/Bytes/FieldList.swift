/// One field of a field list (SPEC §3.4).
public struct Field: Hashable, Sendable {
    /// The greatest length of a value, in bytes.
    public static let maximumLength = 4_096
    /// The greatest length of most lists, in bytes.
    public static let maximumListLength = 1_024
    /// The greatest length of the list in CERTIFICATES, in bytes.
    public static let maximumCertificatesListLength = 4_096
    /// The greatest length of the lists in INVITE and ACCEPT, in bytes.
    public static let maximumInvitationListLength = 8_192

    /// The type. A receiver may skip an odd type that it does not know; it must understand every even type.
    public let type: UInt64
    /// The value, which is opaque at this level.
    public let value: [UInt8]

    /// Creates a field.
    public init(type: UInt64, value: [UInt8]) {
        self.type = type
        self.value = value
    }
}

/// Which fields of even type a list may have (SPEC §22.5).
struct EvenFields {
    /// The types that are defined.
    let known: [UInt64]
    /// What an undefined one is.
    let fault: WireError.Reason

    /// None is defined, and one that comes is critical (R3.4-3). So it is in most structures.
    static let none = EvenFields(known: [], fault: .unknownCritical)
    /// Those of INVITE: the chain of admissions (SPEC §8.2).
    static let invite = EvenFields(known: [Invite.chainField], fault: .unknownCritical)
    /// Those of a charter (SPEC §14.1).
    static let charter = EvenFields(
        known: [
            CharterParameters.admissionField, CharterParameters.maximumMembersField, CharterParameters.unitingField,
        ], fault: .unknownCritical)
    /// An entry has odd fields only, for ever (R14.3-1).
    static let malformed = EvenFields(known: [], fault: .valueOutOfRange)
}

extension Reader {
    /// Takes a field list. Odd types are skipped (R3.4-2); they are returned so that a decoder can show them.
    @_lifetime(self: copy self)
    mutating func fieldList(
        _ place: WireField = .fields, maximum: Int = Field.maximumListLength, even: EvenFields = .none
    ) throws(WireError) -> [Field] {
        var list = Reader(try vector(0...maximum, place))
        var fields: [Field] = []
        while list.remaining > 0 { fields.append(try list.field(after: fields.last, even: even)) }
        return fields
    }

    /// Takes the field after `last` in its list.
    @_lifetime(self: copy self)
    mutating func field(after last: Field?, even: EvenFields) throws(WireError) -> Field {
        // The type is checked before the value, because fields are checked in their order (R18-1).
        let type = try varint(.fieldType)
        if let last, type <= last.type { throw WireError(.notAscending, in: .fieldType) }
        guard type % 2 == 1 || even.known.contains(type) else { throw WireError(even.fault, in: .fieldType) }
        return Field(type: type, value: try bytes(0...Field.maximumLength, .fieldValue))
    }
}

extension Writer {
    /// Writes a field list as given. The caller must put the fields in order.
    mutating func fieldList(_ fields: [Field]) {
        vector { list in
            for field in fields {
                list.varint(field.type)
                list.vector(field.value)
            }
        }
    }
}
