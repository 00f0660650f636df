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

extension Reader {
    /// Takes a field list. Version 1 defines no fields, so every even type is unknown and critical (R3.4-3). Odd types
    /// are skipped (R3.4-2); they are returned so that a decoder can show them.
    @_lifetime(self: copy self)
    mutating func fieldList(
        _ place: WireField = .fields, maximum: Int = Field.maximumListLength
    ) throws(WireError) -> [Field] {
        var list = Reader(try vector(0...maximum, place))
        var fields: [Field] = []
        while list.remaining > 0 {
            // The type is checked before the value, because fields are checked in their order (R18-1).
            let type = try list.varint(.fieldType)
            if let last = fields.last, type <= last.type { throw WireError(.notAscending, in: .fieldType) }
            guard type % 2 == 1 else { throw WireError(.unknownCritical, in: .fieldType) }
            let value = try list.bytes(0...Field.maximumLength, .fieldValue)
            fields.append(Field(type: type, value: value))
        }
        return fields
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
