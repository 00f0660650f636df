/// ROSTER (SPEC §14.5): entries of its sender, or of others. A receiver judges them one by one, by ``RosterReader``.
public struct RosterFrame: ControlFrame, Equatable {
    public static let type = FrameType.roster
    /// The greatest number of members in a list of §14.5 (R14.5-2).
    public static let maximumMembers = 256
    /// The greatest length of the list, in bytes.
    public static let maximumListLength = 65_504

    /// The entries, in ascending order of their members.
    public let entries: [RosterEntry]

    /// Creates a frame from entries in ascending order of their members, of 1 to 65,504 bytes.
    public init(entries: [RosterEntry]) { self.entries = entries }

    public init(_ payload: inout Reader) throws(WireError) {
        var reader = RosterReader(list: try payload.vector(1...Self.maximumListLength, .entries))
        var entries: [RosterEntry] = []
        while let entry = try reader.next() { entries.append(entry) }
        self.entries = entries
    }

    public func write(_ payload: inout Writer) {
        payload.vector { list in
            for entry in entries { list.raw(entry.encoded) }
        }
    }
}

/// Takes the entries of a ROSTER one by one, because those before a faulty one are kept (R14.5-3).
public struct RosterReader: ~Escapable {
    private var list: Reader
    private var last: [UInt8]?
    private var count = 0

    /// Begins a payload.
    /// - Throws: ``WireError`` if its list is empty, too long, or cut, or if bytes stand behind it.
    @_lifetime(copy payload)
    public init(payload: Span<UInt8>) throws(WireError) {
        var reader = Reader(payload)
        list = Reader(try reader.vector(1...RosterFrame.maximumListLength, .entries))
        guard reader.remaining == 0 else { throw WireError(.trailingBytes, in: .framePayload) }
    }

    @_lifetime(copy list)
    init(list: Span<UInt8>) {
        self.list = Reader(list)
    }

    /// Returns the next entry, or nil behind the last one.
    /// - Throws: ``WireError`` if it does not decode, or stands where it must not (R14.5-2).
    @_lifetime(self: copy self)
    public mutating func next() throws(WireError) -> RosterEntry? {
        guard list.remaining > 0 else { return nil }
        let entry = try list.rosterEntry()
        if let last, !last.lexicographicallyPrecedes(entry.content.member) {
            throw WireError(.notAscending, in: .member)
        }
        guard count < RosterFrame.maximumMembers else { throw WireError(.lengthOutOfRange, in: .entries) }
        last = entry.content.member
        count += 1
        return entry
    }
}
