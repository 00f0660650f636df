public import MultipeerCore
public import MultipeerCrypto

/// A connection between two hosts. Side 0 has made it.
public final class SimulatedConnection {
    /// One end.
    struct End {
        unowned let host: SimulatedHost
        let run: Int
        let link: LinkNumber
        /// Bytes that are on their way to the remote end.
        var inFlight = 0
        /// Whether the end of the own stream has been sent.
        var hasEnded = false
        /// Whether the host needs it no longer.
        var isReleased = false
        /// When the last thing that it sent arrives: a stream keeps its order.
        var lastArrival: Instant

        /// Whether the program that opened it still runs and uses it.
        var isAlive: Bool { host.isUp && host.run == run && !isReleased }
    }

    var ends: [End]
    let latency: Duration
    /// Whether nothing arrives any more, though nobody knows yet.
    public internal(set) var isSilent = false
    /// Whether it is cut: both ends have heard of it.
    var isCut = false

    init(_ ends: [End], latency: Duration) {
        self.ends = ends
        self.latency = latency
    }

    /// Whether both nodes have an open link of a session over it.
    public func isOpen(in session: SessionID) -> Bool {
        let (one, other) = (ends[0], ends[1])
        return one.isAlive && other.isAlive
            && one.host.node.link(to: other.host.key, in: session) == one.link
            && other.host.node.link(to: one.host.key, in: session) == other.link
    }

    /// The hosts that it joins, the one that has made it first.
    public var hosts: [SimulatedHost] { ends.map(\.host) }

    /// Which side a host has.
    public func side(of host: SimulatedHost) -> Int { ends[0].host === host ? 0 : 1 }

    /// The number that a host has for its link.
    public func link(of host: SimulatedHost) -> LinkNumber { ends[side(of: host)].link }

    /// Whether it joins these two.
    func joins(_ one: SimulatedHost, _ other: SimulatedHost) -> Bool {
        (ends[0].host === one && ends[1].host === other) || (ends[0].host === other && ends[1].host === one)
    }
}
