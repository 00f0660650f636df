/// Limits for what a listener accepts from strangers (SPEC §19).
public struct ListenerLimits: Hashable, Sendable {
    /// The greatest number of links at once, half-open ones included.
    public var connections = 1_024
    /// The greatest number of half-open links at once. The peer of a half-open link is not identified yet.
    public var halfOpen = 128
    /// The same from one IPv4 address, or from one /64 of IPv6. It does not apply to Unix sockets.
    public var halfOpenPerAddress = 32
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

    /// Creates the default limits.
    public init() {}
}

/// The counts of a listener's connections.
public struct ListenerCounts: Hashable, Sendable {
    /// The number of existing links, half-open ones included.
    public internal(set) var open = 0
    /// The number of links whose peer is not identified yet.
    public internal(set) var halfOpen = 0
    /// The number of connections that are being refused as busy.
    public internal(set) var refusing = 0
    /// The total number of connections that were refused as busy.
    public internal(set) var refused = 0
    /// The total number of connections that were closed without an answer.
    public internal(set) var dropped = 0
    /// The total number of links.
    public internal(set) var accepted = 0
}
