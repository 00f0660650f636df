/// How much a listener takes on from strangers (SPEC §19).
public struct ListenerLimits: Hashable, Sendable {
    /// Links that may be there at once, half-open ones included.
    public var connections = 1_024
    /// Handshakes that may be under way at once: links whose peer is not identified yet.
    public var halfOpen = 128
    /// The same, from one address; of IPv6 from one /64. Does not concern Unix sockets.
    public var halfOpenPerAddress = 32
    /// Connections beyond these limits that may be answered with REFUSAL `busy` at once. More are closed unanswered.
    public var refusals = 64
    /// How long one of those may take to say its hello.
    public var refusalTimeout: Duration = .seconds(2)
    /// Connections accepted a second, in the long run. More wait in the system's queue.
    public var acceptsPerSecond = 256.0
    /// Connections accepted at once after a quiet time.
    public var acceptBurst = 128
    /// How many connections the system lets wait to be accepted.
    public var backlog: Int32 = 256

    /// The limits above.
    public init() {}
}

/// What a listener has taken on.
public struct ListenerCounts: Hashable, Sendable {
    /// Links that are there, half-open ones included.
    public internal(set) var open = 0
    /// Of those, links whose peer is not identified yet.
    public internal(set) var halfOpen = 0
    /// Connections that are being refused as busy.
    public internal(set) var refusing = 0
    /// Connections refused as busy, in all.
    public internal(set) var refused = 0
    /// Connections closed unanswered, in all.
    public internal(set) var dropped = 0
    /// Links, in all.
    public internal(set) var accepted = 0
}
