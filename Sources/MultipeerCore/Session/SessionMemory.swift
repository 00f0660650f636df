public import MultipeerWire

/// What a member keeps of a session, so that a later run of its program takes part again (SPEC §14.7). An app stores it; it is
/// no secret, and changes with the roster.
public struct SessionMemory: Hashable, Sendable {
    /// What the session is.
    public var charter: Charter
    /// The member's own chain of admissions; nil if ADMIT has not come yet.
    public var chain: [Admission]?
    /// The greatest instance that this member has used. The next run begins above it (R14.7-1).
    public var instance: UInt64
    /// The entries of the roster, as they were signed. They say where to dial whom.
    public var entries: [RosterEntry]

    /// Creates a memory.
    public init(charter: Charter, chain: [Admission]?, instance: UInt64, entries: [RosterEntry] = []) {
        self.charter = charter
        self.chain = chain
        self.instance = instance
        self.entries = entries
    }
}
