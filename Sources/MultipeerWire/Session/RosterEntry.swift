/// What a member says of itself (SPEC §14.3). Whether its signatures verify is not known here.
public struct RosterEntry: Hashable, Sendable {
    /// The greatest length of an entry, in bytes.
    public static let maximumLength = 1_024
    /// The greatest length of the field list, in bytes.
    public static let maximumFieldListLength = 256
    /// The length of the signature, in bytes.
    public static let signatureLength = 64

    /// Whether a member takes part.
    public enum Presence: UInt8, Sendable, CaseIterable {
        /// It has left.
        case left = 0
        /// It is there, as far as it has said.
        case present = 1
    }

    /// What a member signs, beside the session.
    public struct Content: Hashable, Sendable {
        /// The identity key of the member, 32 bytes.
        public var member: [UInt8]
        /// Tells one run of the member's program from another (SPEC §14.7).
        public var instance: UInt64
        /// Counts the entries of a run, from 0.
        public var sequence: UInt64
        public var presence: Presence
        /// The display name: at most 63 bytes of UTF-8; empty if it is not shown.
        public var name: [UInt8]
        /// Where the member listens, the best first; at most 8.
        public var addresses: [MemberAddress]
        /// The member's chain of admissions; empty for the founder.
        public var chain: [Admission]
        /// The fields that later versions may define. They are odd for ever (R14.3-1).
        public var fields: [Field]

        /// Creates a content from values that must be in range.
        public init(
            member: [UInt8], instance: UInt64, sequence: UInt64, presence: Presence = .present, name: [UInt8] = [],
            addresses: [MemberAddress] = [], chain: [Admission] = [], fields: [Field] = []
        ) {
            self.member = member
            self.instance = instance
            self.sequence = sequence
            self.presence = presence
            self.name = name
            self.addresses = addresses
            self.chain = chain
            self.fields = fields
        }

        /// All bytes of the entry before the signature.
        public var encoded: [UInt8] {
            var writer = Writer()
            writer.raw(member)
            writer.varint(instance)
            writer.varint(sequence)
            writer.u8(presence.rawValue)
            writer.vector(name)
            writer.vector { list in
                for address in addresses {
                    list.u8(address.kind)
                    list.vector(address.value)
                }
            }
            writer.vector(Admission.encode(chain))
            writer.fieldList(fields)
            return writer.bytes
        }

        /// Whether the entry, with its signature, is short enough to be sent.
        public var isShortEnough: Bool { encoded.count + signatureLength <= maximumLength }
    }

    public let content: Content
    /// The member's Ed25519 signature, 64 bytes.
    public let signature: [UInt8]

    /// Creates an entry from a content in range and a signature of 64 bytes.
    public init(_ content: Content, signature: [UInt8]) {
        self.content = content
        self.signature = signature
    }

    /// Decodes a whole entry.
    public init(encoded: Span<UInt8>) throws(WireError) {
        var reader = Reader(encoded)
        self = try reader.rosterEntry()
        try reader.finish(.entry)
    }

    /// The whole entry. It is what came, byte by byte, because every structure has one form only (SPEC §14.3).
    public var encoded: [UInt8] { content.encoded + signature }
}

extension Reader {
    /// Takes an entry (R14.3-1).
    @_lifetime(self: copy self)
    mutating func rosterEntry() throws(WireError) -> RosterEntry {
        let start = remaining
        let member = try bytes(exactly: 32, .member)
        let instance = try varint(.instance)
        let sequence = try varint(.sequence)
        guard let presence = RosterEntry.Presence(rawValue: try u8(.presence)) else {
            throw WireError(.valueOutOfRange, in: .presence)
        }
        let name = try text(0...63, .displayName)
        guard name.isEmpty || Utf8.isName(name.span) else { throw WireError(.valueOutOfRange, in: .displayName) }
        let content = RosterEntry.Content(
            member: member, instance: instance, sequence: sequence, presence: presence, name: name,
            addresses: try addresses(), chain: try chain(),
            fields: try fieldList(maximum: RosterEntry.maximumFieldListLength, even: .malformed))
        let signature = try bytes(exactly: RosterEntry.signatureLength, .signature)
        guard start - remaining <= RosterEntry.maximumLength else { throw WireError(.lengthOutOfRange, in: .entry) }
        return RosterEntry(content, signature: signature)
    }
}
