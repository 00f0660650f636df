public import MultipeerCrypto
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
    /// The entries of the roster, as they were signed. They say where to dial each member.
    public var entries: [RosterEntry]
    /// The members whose entries have come over a link within this host: their loopback addresses are dialled (R14.8-4).
    public var onThisHost: Set<IdentityKey>
    /// What this member holds against others, in ascending order, at most ``mostGrudges`` (R14.9-6).
    public var grudges: [Grudge]

    /// How many grudges are kept. Peers that the app has blocked come before others.
    public static let mostGrudges = 2_048

    /// Creates a memory.
    public init(
        charter: Charter, chain: [Admission]?, instance: UInt64, entries: [RosterEntry] = [],
        onThisHost: Set<IdentityKey> = [], grudges: [Grudge] = []
    ) {
        self.charter = charter
        self.chain = chain
        self.instance = instance
        self.entries = entries
        self.onThisHost = onThisHost
        self.grudges = grudges
    }
}

/// What a member holds against a peer, so that a later run of its program does too.
public struct Grudge: Hashable, Sendable, Comparable {
    /// Why the peer is not linked to.
    public enum Reason: Int, Sendable, CaseIterable {
        /// The app has blocked it.
        case blocked
        /// It broke a rule in a frame of its own.
        case misbehaved
        /// The app has closed the last link to it, or has declined its last invitation.
        case turnedAway
    }

    /// The peer.
    public let peer: IdentityKey
    /// Why.
    public let reason: Reason

    /// Joins both.
    public init(peer: IdentityKey, reason: Reason) {
        self.peer = peer
        self.reason = reason
    }

    /// In the order of reasons, then of keys.
    public static func < (one: Grudge, other: Grudge) -> Bool {
        (one.reason.rawValue, one.peer) < (other.reason.rawValue, other.peer)
    }
}
