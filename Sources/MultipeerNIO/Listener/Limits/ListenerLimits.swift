/// Limits for what a listener accepts from strangers (SPEC §19, docs/decisions/0012-limits-until-open.md).
///
/// A link has a place from its first byte to its end. Until it is open it can lose the place to a newer one: the place
/// goes from the address that holds most of them, its oldest link first. A link that is open keeps its place.
public struct ListenerLimits: Hashable, Sendable {
    /// The greatest number of links at once, of all stages. The descriptor limit of the process can make it smaller; see
    /// ``reservedDescriptors``.
    public var connections = 1_024
    /// The same from one IPv4 address, or from one /64 of IPv6. Limits of addresses do not apply to Unix sockets.
    public var connectionsPerAddress = 256
    /// The same with one peer.
    public var connectionsPerIdentity = 256
    /// How many of ``connections`` are kept for peers that the validator recognizes
    /// (`CertificateValidator.recognizes(_:)`), at most a quarter of them. Strangers can neither take these places nor
    /// the place of a peer that has been recognized.
    public var connectionsForKnownPeers = 64
    /// The greatest number of half-open links at once. The peer of a half-open link is not identified yet.
    public var halfOpen = 128
    /// The same from one address.
    public var halfOpenPerAddress = 32
    /// The greatest number of links at once whose peer is identified, and which are not open yet.
    public var unopened = 128
    /// The same from one address.
    public var unopenedPerAddress = 32
    /// The same with one peer.
    public var unopenedPerIdentity = 8
    /// The number of connections beyond these limits that may be answered with REFUSAL `busy` at once. More of them are
    /// closed without an answer.
    public var refusals = 64
    /// How long one of those connections may take for its hello.
    public var refusalTimeout: Duration = .seconds(2)
    /// The number of connections accepted each second, in the long run. More of them wait in the system's queue.
    public var acceptsPerSecond = 256.0
    /// The number of connections accepted at once after a quiet time.
    public var acceptBurst = 128
    /// The length of the system's queue of connections.
    public var backlog: Int32 = 256
    /// How many of the descriptors that the process may have are left for other purposes, but at most half of them.
    public var reservedDescriptors = 128
    /// How many descriptors a link needs: its socket, and perhaps a file that is being received.
    public var descriptorsPerConnection = 1

    /// Creates the default limits.
    public init() {}
}

/// The counts of a listener's connections.
public struct ListenerCounts: Hashable, Sendable {
    /// The number of existing links of all stages.
    public internal(set) var open = 0
    /// The number of links whose peer is not identified yet.
    public internal(set) var halfOpen = 0
    /// The number of links whose peer is identified, and which are not open yet.
    public internal(set) var unopened = 0
    /// The number of links whose peer has been recognized.
    public internal(set) var known = 0
    /// The number of connections that are being refused as busy.
    public internal(set) var refusing = 0
    /// The total number of connections that were refused as busy.
    public internal(set) var refused = 0
    /// The total number of connections that were closed without an answer.
    public internal(set) var dropped = 0
    /// The total number of links.
    public internal(set) var accepted = 0
    /// The total number of links that lost their place to another one before they were open.
    public internal(set) var evicted = 0
}
