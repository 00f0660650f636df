/// DIGEST (SPEC §14.5): the digest of its sender's roster.
public struct DigestFrame: ControlFrame, Equatable {
    public static let type = FrameType.digest

    /// The digest of SPEC §14.4, 32 bytes.
    public let digest: [UInt8]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame from a digest of 32 bytes.
    public init(digest: [UInt8], fields: [Field] = []) {
        self.digest = digest
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        digest = try payload.bytes(exactly: 32, .rosterDigest)
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.raw(digest)
        payload.fieldList(fields)
    }
}

/// SUMMARY (SPEC §14.5): all entries of its sender's roster, by name and hash.
public struct Summary: ControlFrame, Equatable {
    public static let type = FrameType.summary
    /// The greatest length of the list, in bytes.
    public static let maximumListLength = 32_768

    /// Which entry a roster has of one member.
    public struct Item: Hashable, Sendable {
        /// The identity key of the member, 32 bytes.
        public let member: [UInt8]
        public let instance: UInt64
        public let sequence: UInt64
        /// The SHA-256 of the whole entry, 32 bytes.
        public let entryHash: [UInt8]

        /// Creates an item from a key and a hash of 32 bytes each.
        public init(member: [UInt8], instance: UInt64, sequence: UInt64, entryHash: [UInt8]) {
            self.member = member
            self.instance = instance
            self.sequence = sequence
            self.entryHash = entryHash
        }
    }

    /// The items, in ascending order of their members.
    public let items: [Item]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame from items in ascending order of their members.
    public init(items: [Item], fields: [Field] = []) {
        self.items = items
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        var list = Reader(try payload.vector(0...Self.maximumListLength, .items))
        var items: [Item] = []
        while list.remaining > 0 {
            let item = Item(
                member: try list.bytes(exactly: 32, .member), instance: try list.varint(.instance),
                sequence: try list.varint(.sequence), entryHash: try list.bytes(exactly: 32, .entryHash))
            try item.member.follows(items.last?.member, count: items.count, in: .items)
            items.append(item)
        }
        self.items = items
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.vector { list in
            for item in items {
                list.raw(item.member)
                list.varint(item.instance)
                list.varint(item.sequence)
                list.raw(item.entryHash)
            }
        }
        payload.fieldList(fields)
    }
}

/// WANT (SPEC §14.5): members of which its sender wants the entries.
public struct Want: ControlFrame, Equatable {
    public static let type = FrameType.want

    /// The identity keys, 32 bytes each, in ascending order.
    public let members: [[UInt8]]
    /// The fields that later versions may define.
    public let fields: [Field]

    /// Creates a frame from 1 to 256 keys in ascending order.
    public init(members: [[UInt8]], fields: [Field] = []) {
        self.members = members
        self.fields = fields
    }

    public init(_ payload: inout Reader) throws(WireError) {
        var list = Reader(try payload.vector(1...RosterFrame.maximumMembers * 32, .wantedMembers))
        guard list.remaining % 32 == 0 else { throw WireError(.lengthOutOfRange, in: .wantedMembers) }
        var members: [[UInt8]] = []
        while list.remaining > 0 {
            let member = try list.bytes(exactly: 32, .member)
            try member.follows(members.last, count: members.count, in: .wantedMembers)
            members.append(member)
        }
        self.members = members
        fields = try payload.fieldList()
    }

    public func write(_ payload: inout Writer) {
        payload.vector(members.flatMap { $0 })
        payload.fieldList(fields)
    }
}

extension [UInt8] {
    /// Checks that this member may follow `last`, as the one with number `count` of a list (R14.5-2).
    fileprivate func follows(_ last: [UInt8]?, count: Int, in list: WireField) throws(WireError) {
        if let last, !last.lexicographicallyPrecedes(self) { throw WireError(.notAscending, in: .member) }
        guard count < RosterFrame.maximumMembers else { throw WireError(.lengthOutOfRange, in: list) }
    }
}
