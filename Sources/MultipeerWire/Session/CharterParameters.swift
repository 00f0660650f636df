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
    static let unitingField: UInt64 = 0x06

    /// The range of ``maximumMembers``.
    public static let maximumMembersRange: ClosedRange<UInt64> = 2...256

    /// The members that may admit others.
    public private(set) var admitters: Admitters
    /// How many present members a session has at most, as those that admit count them; 2 to 256.
    public private(set) var maximumMembers: Int
    /// Whether the session may unite with others; nil for what SPEC §14.1 says without the field.
    private var chosenUniting: Bool?

    /// Whether the session may unite with others (SPEC §14.11). Without a choice it may where every member admits.
    public var isUniting: Bool { chosenUniting ?? (admitters == .everyMember) }

    /// Creates parameters. `maximumMembers` is brought into 2 to 256. Without `uniting`, a session may unite where every member
    /// admits.
    public init(admitters: Admitters = .everyMember, maximumMembers: Int = 256, uniting: Bool? = nil) {
        self.admitters = admitters
        chosenUniting = uniting
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
        if let chosenUniting, chosenUniting != (admitters == .everyMember) {
            fields.append(Field(type: Self.unitingField, value: [chosenUniting ? 1 : 0]))
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
        case Self.unitingField:
            let number = try value.u8(.uniting)
            try value.finish(.uniting)
            guard number <= 1 else { throw WireError(.unknownCritical, in: .uniting) }
            chosenUniting = number == 1
        default: break
        }
    }
}
