/// The parameters of a charter that have a meaning (SPEC §14.1).
public struct CharterParameters: Hashable, Sendable {
    /// The members that may admit others.
    public enum Admitters: UInt8, Sendable, CaseIterable {
        /// Every member.
        case everyMember = 0
        /// The founder alone.
        case founder = 1
    }

    static let admissionField: UInt64 = 0x02
    static let maximumMembersField: UInt64 = 0x04

    /// The range of ``maximumMembers``.
    public static let maximumMembersRange: ClosedRange<UInt64> = 2...256

    /// The members that may admit others.
    public private(set) var admitters: Admitters
    /// How many present members a session has at most, as those that admit count them; 2 to 256.
    public private(set) var maximumMembers: Int

    /// Creates parameters. `maximumMembers` is brought into 2 to 256.
    public init(admitters: Admitters = .everyMember, maximumMembers: Int = 256) {
        self.admitters = admitters
        self.maximumMembers = min(max(maximumMembers, 2), 256)
    }

    /// Reads the parameters of a charter. One that was decoded has valid ones.
    /// - Throws: ``WireError`` as R14.1-1 says. A field of unknown type is passed over here.
    public init(_ charter: Charter) throws(WireError) {
        self.init()
        for field in charter.parameters { try apply(field) }
    }

    /// The fields that say this in a charter. What a charter says without them is left out.
    public var fields: [Field] {
        var fields: [Field] = []
        if admitters != .everyMember { fields.append(Field(type: Self.admissionField, value: [admitters.rawValue])) }
        if maximumMembers != 256 {
            var writer = Writer()
            writer.varint(UInt64(maximumMembers))
            fields.append(Field(type: Self.maximumMembersField, value: writer.bytes))
        }
        return fields
    }

    /// Judges the value of one field (R14.1-1).
    mutating func apply(_ field: Field) throws(WireError) {
        var value = Reader(field.value.span)
        switch field.type {
        case Self.admissionField:
            let number = try value.u8(.admission)
            try value.finish(.admission)
            guard let admitters = Admitters(rawValue: number) else {
                throw WireError(.unknownCritical, in: .admission)
            }
            self.admitters = admitters
        case Self.maximumMembersField:
            let number = try value.varint(.maximumMembers)
            try value.finish(.maximumMembers)
            guard Self.maximumMembersRange.contains(number) else {
                throw WireError(.valueOutOfRange, in: .maximumMembers)
            }
            maximumMembers = Int(number)
        default: break
        }
    }
}
