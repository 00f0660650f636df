/// ROSTER (SPEC §14.5): entries of its sender, or of others. A receiver decodes all of them first, and keeps nothing of a list
/// that does not decode (R14.5-3).
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
        var list = Reader(try payload.vector(1...Self.maximumListLength, .entries))
        var entries: [RosterEntry] = []
        while list.remaining > 0 {
            let entry = try list.rosterEntry()
            if let last = entries.last, !last.content.member.lexicographicallyPrecedes(entry.content.member) {
                throw WireError(.notAscending, in: .member)
            }
            guard entries.count < Self.maximumMembers else { throw WireError(.lengthOutOfRange, in: .entries) }
            entries.append(entry)
        }
        self.entries = entries
    }

    public func write(_ payload: inout Writer) {
        payload.vector { list in
            for entry in entries { list.raw(entry.encoded) }
        }
    }
}
