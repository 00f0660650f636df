/// One field of a field list (SPEC §3.4).
public struct Field: Equatable, Sendable {
    /// The most bytes of a value.
    public static let maximumLength = 512
    /// The most bytes of a list.
    public static let maximumListLength = 1_024

    /// Odd types may be skipped, even ones must be understood.
    public let type: UInt64
    /// Opaque here.
    public let value: [UInt8]

    /// Joins type and value.
    public init(type: UInt64, value: [UInt8]) {
        self.type = type
        self.value = value
    }
}

extension Reader {
    /// Takes a field list. Version 1 defines no fields, so an even type is unknown and critical (R3.4-3); odd ones are
    /// skipped (R3.4-2), and returned so that a decoder can show them.
    @_lifetime(self: copy self)
    mutating func fieldList() throws(WireError) -> [Field] {
        var list = Reader(try vector(0...Field.maximumListLength, .fields))
        var fields: [Field] = []
        while list.remaining > 0 {
            // The type is judged before the value is looked at: fields in their order (R18-1).
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
    /// Writes a field list as given; the order is the caller's duty.
    mutating func fieldList(_ fields: [Field]) {
        vector { list in
            for field in fields {
                list.varint(field.type)
                list.vector(field.value)
            }
        }
    }
}
