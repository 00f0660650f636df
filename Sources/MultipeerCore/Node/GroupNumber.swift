import MultipeerCrypto

/// Names a group: the sessions that an app holds as one (SPEC §4.3). An app chooses the numbers of its groups.
public struct GroupNumber: RawRepresentable, Hashable, Sendable {
    public let rawValue: UInt64

    public init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// To what a link belongs (SPEC §8.7).
struct Affiliation: Hashable, Sendable {
    /// The group; nil for a session that is a group of its own, or if it is not known yet which group answers.
    let group: GroupNumber?
    /// The session of the INVITE.
    let session: SessionID

    /// Whether two links belong to one group.
    func isOneGroup(with other: Affiliation) -> Bool {
        if let group, group == other.group { return true }
        return session == other.session
    }
}
