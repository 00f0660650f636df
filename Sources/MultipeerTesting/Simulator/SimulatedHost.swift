public import MultipeerCore
public import MultipeerCrypto
import MultipeerDriver
public import MultipeerWire

/// A machine with one node, in a simulated network.
public final class SimulatedHost {
    /// Its place among the hosts.
    public let id: Int
    /// What it calls itself.
    public let name: String
    /// The program that runs on it, or ran last: a new run is a new one.
    var program: SimulatedProgram
    /// The app that uses it.
    public var app = SimulatedApp()
    /// Whether the program runs.
    public internal(set) var isUp = true
    /// Whether others can connect to it.
    public var isReachable = true
    /// Which part of a divided network it is in.
    public var part = 0
    /// The group to which all sessions of its app belong; nil if each is one of its own.
    public var group: GroupNumber?
    /// What each run of the node is made with.
    public var configuration: NodeConfiguration
    /// How often its node has dialled which host.
    public internal(set) var dials: [Int: Int] = [:]
    /// Which run of the program it is.
    public internal(set) var run = 0

    init(id: Int, name: String, configuration: NodeConfiguration, random: SeededRandomSource, now: Instant) {
        self.id = id
        self.name = name
        self.configuration = configuration
        program = SimulatedProgram(configuration, random: random, now: now)
    }

    /// The node.
    public var node: Node { _read { yield program.driver.node } }

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
    /// The bytes of its memory that are lent beyond what peers have by right, though no open link uses them.
    public var lostMemory: UInt64 {
        let lent = program.memoryPools.messageBytesInUse + program.memoryPools.bulkBytesInUse
        return lent - program.transports.keys.reduce(0) { $0 + node.bulkMemory(of: $1) }
    }
    /// The sessions that it takes part in.
    public var sessions: [SessionID] { node.sessionIDs }
}

extension Node {
    /// What the messages, streams and files of a link have of the peer's share.
    fileprivate func bulkMemory(of link: LinkNumber) -> UInt64 { handle(of: link)?.link.heldBulkMemory ?? 0 }
}
