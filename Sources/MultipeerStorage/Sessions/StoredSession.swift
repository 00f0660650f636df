public import MultipeerCore
public import MultipeerCrypto

/// What a member has kept of a session, and whose it is.
public struct StoredSession: Hashable, Sendable {
    /// The member that has kept it. It is of no use to others.
    public let owner: IdentityKey
    /// What it needs to take part again (SPEC §14.7).
    public let memory: SessionMemory

    /// Joins both.
    public init(owner: IdentityKey, memory: SessionMemory) {
        self.owner = owner
        self.memory = memory
    }
}
