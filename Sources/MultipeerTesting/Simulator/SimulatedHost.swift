public import MultipeerCore
public import MultipeerCrypto
public import MultipeerWire

/// A machine with one node, in a simulated network.
public final class SimulatedHost {
    /// Its place among the hosts.
    public let id: Int
    /// What it calls itself.
    public let name: String
    /// The node.
    public internal(set) var node: Node
    /// The app that uses it.
    public var app = SimulatedApp()
    /// Whether the program runs.
    public internal(set) var isUp = true
    /// Whether others can connect to it.
    public var isReachable = true
    /// Which part of a divided network it is in.
    public var part = 0
    /// What each run of the node is made with.
    public var configuration: NodeConfiguration
    /// How often its node has dialled which host.
    public internal(set) var dials: [Int: Int] = [:]
    /// The connections that its links use.
    var ends: [LinkNumber: (connection: SimulatedConnection, side: Int)] = [:]
    /// Which run of the program it is.
    public internal(set) var run = 0
    var timer: Instant?
    /// How often the timer has gone off at one moment.
    var timersNow = 0

    init(id: Int, name: String, configuration: NodeConfiguration, random: any RandomSource, now: Instant) {
        self.id = id
        self.name = name
        self.configuration = configuration
        node = Node(configuration: configuration, random: random, now: now)
    }

    /// The host's identity key.
    public var key: IdentityKey { configuration.link.identity.identityKey }

    /// Where a host of this number listens.
    public static func address(of id: Int) -> MemberAddress {
        MemberAddress(
            kind: MemberAddress.ipv4,
            value: [10, UInt8(id >> 16 & 0xFF), UInt8(id >> 8 & 0xFF), UInt8(id & 0xFF), 0x12, 0x67])
    }

    /// The host that an address leads to.
    static func id(at address: MemberAddress) -> Int? {
        guard address.kind == MemberAddress.ipv4, address.value.count == 6, address.value[0] == 10 else { return nil }
        return Int(address.value[1]) << 16 | Int(address.value[2]) << 8 | Int(address.value[3])
    }
}

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

// What tests ask. A node cannot be copied, which macros of tests try.
extension SimulatedHost {
    /// The state of another host.
    public func state(of other: SimulatedHost, in session: SessionID) -> MemberState {
        node.state(of: other.key, in: session)
    }

    /// What there is to see of another host.
    public func info(of other: SimulatedHost, in session: SessionID) -> MemberInfo {
        node.member(other.key, in: session)
    }

    /// The open link to another host.
    public func link(to other: SimulatedHost, in session: SessionID) -> LinkNumber? {
        node.link(to: other.key, in: session)
    }

    /// The members that it knows.
    public func members(of session: SessionID) -> [IdentityKey] { node.members(of: session) }
    /// Whether it takes part in a session.
    public func isMember(of session: SessionID) -> Bool { node.isMember(of: session) }
    /// Whether it may admit others.
    public func mayAdmit(to session: SessionID) -> Bool { node.mayAdmit(to: session) }
    /// What it would keep of a session.
    public func memory(of session: SessionID) -> SessionMemory? { node.memory(of: session) }
    /// The digest of its roster.
    public func digest(of session: SessionID) -> [UInt8]? { node.rosterDigest(of: session) }
    /// The sessions that it takes part in.
    public var sessions: [SessionID] { node.sessionIDs }
}
