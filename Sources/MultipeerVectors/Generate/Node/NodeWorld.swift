internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// The members of the session of node scripts, and the node's place among them.
struct NodeWorld {
    typealias Member = Community.Member

    let community: Community
    /// The founder of the session.
    let founder: Member
    /// A member that the founder has admitted; the keys of `lesser` are below it, those of `greater` above.
    let me: Member
    let lesser: [Member]
    let greater: [Member]

    var samples: Samples { community.samples }

    /// The instance of entries, and the clock of nodes.
    static let instance: UInt64 = 1_795_000_000_000

    init(samples: Samples, nonce: String = "session of many", parameters: [UInt8] = []) throws {
        let community = try Community(samples: samples, nonce: nonce, parameters: parameters)
        self.community = community
        founder = community.founder
        let all = try (0..<40).map { try community.member("of a node script \($0)") }
            .sorted { $0.key.lexicographicallyPrecedes($1.key) }
        me = all[20]
        lesser = Array(all[..<20])
        greater = Array(all[21...])
    }

    /// Whether a key is the lesser one of two.
    static func isLesser(_ one: Member, _ other: Member) -> Bool { one.key.lexicographicallyPrecedes(other.key) }

    /// A chain that ends at the founder; none for itself.
    func chain(_ who: Member, via: [Member] = []) throws -> [UInt8] {
        who.key == founder.key ? [] : try community.chain(of: who.key, via)
    }

    func entry(
        _ who: Member, instance: UInt64 = instance, sequence: UInt64 = 0, presence: UInt8 = 1,
        name: String = "", at addresses: [MemberAddress] = [], via: [Member] = []
    ) throws -> [UInt8] {
        try community.entry(
            who,
            Community.Content(
                instance: instance, sequence: sequence, presence: presence, name: Array(name.utf8),
                addresses: addresses.flatMap { [$0.kind] + WireBytes.vector($0.value) },
                chain: try chain(who, via: via)))
    }

    /// An entry whose signature is another one.
    func spoiled(_ entry: [UInt8]) -> [UInt8] { entry.dropLast() + [(entry.last ?? 0) ^ 1] }

    /// INVITE of a member to the session.
    func invite(_ who: Member, kind: UInt8 = 0, via: [Member] = []) throws -> [UInt8] {
        WireBytes.invite(
            charter: community.charter, sessionKind: kind, preference: 2,
            fields: WireBytes.field(2, try chain(who, via: via)))
    }

    /// SUMMARY with items of these entries.
    func summary(_ entries: [(who: Member, instance: UInt64, sequence: UInt64, entry: [UInt8])]) -> [UInt8] {
        let items = entries.map { item in
            item.who.key + WireBytes.varint(item.instance) + WireBytes.varint(item.sequence)
                + samples.crypto.sha256(item.entry)
        }
        return WireBytes.frame(
            .summary, WireBytes.vector(items.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }) + [0])
    }

    /// Where somebody listens.
    static func address(_ host: UInt8, port: UInt16 = 4_711) -> MemberAddress {
        MemberAddress(kind: MemberAddress.ipv4, value: [192, 0, 2, host] + WireBytes.u16(port))
    }
}

/// What a node script begins with.
struct NodeSetting {
    /// The member that the node is; the founder if it is nobody else.
    var who: Community.Member?
    /// Whether the node is in the session already.
    var isMember = true
    var via: [Community.Member] = []
    var addresses: [MemberAddress] = []
    var entries: [[UInt8]] = []
    var instance: UInt64?
    var maximumLinks: Int?
    var refuses: [Community.Member] = []
    /// The grace time in milliseconds.
    var grace: Int?
    /// Milliseconds from PING to PING, and until a peer is silent.
    var keepAlive: (ping: Int, silent: Int)?

    func params(_ world: NodeWorld) throws -> JSONValue {
        let who = self.who ?? world.founder
        var params: [String: JSONValue] = [
            "identitySeed": .hex(who.seed), "displayName": .hex(Array("Me".utf8)),
            "addresses": .array(addresses.map(JSONValue.address)), "milliseconds": .wide(NodeWorld.instance),
        ]
        if isMember {
            params["charter"] = .hex(world.community.charter)
            params["chain"] = .hex(try world.chain(who, via: via))
        }
        if !entries.isEmpty { params["entries"] = .array(entries.map(JSONValue.hex)) }
        params["instance"] = instance.map(JSONValue.wide)
        if let keepAlive {
            params["keepAlive"] = ["ping": .integer(keepAlive.ping), "silent": .integer(keepAlive.silent)]
        }
        params["grace"] = grace.map(JSONValue.integer)
        params["maximumLinks"] = maximumLinks.map(JSONValue.integer)
        if !refuses.isEmpty { params["refuses"] = .array(refuses.map { .hex($0.key) }) }
        return .object(params)
    }
}

/// Collects the node scripts of one file.
final class NodeWriter {
    let world: NodeWorld
    private let faults: FaultList
    private var cases: CaseList

    init(_ name: String, section: String, subject: SwiftSubject) throws {
        cases = CaseList("node/" + name, topic: "node-" + name, type: .nodeScript, section: section)
        world = try NodeWorld(samples: Samples(crypto: subject.crypto))
        faults = subject.faults
    }

    /// A script. What it has to bring about, its words say.
    func works(
        _ comment: String, _ requirements: [String], flags: [String] = [], section: String? = nil,
        _ setting: NodeSetting = NodeSetting(), in world: NodeWorld? = nil, _ body: (NodeScript) throws -> Void
    ) throws {
        let head = CaseList.Head(comment: comment, requirements: requirements, flags: flags, section: section)
        let world = world ?? self.world
        let script = try NodeScript(setting, world: world)
        try body(script)
        for surprise in script.surprises {
            faults.add(.wrongVerdict(id: cases.name(of: head), declared: .accept, answer: surprise))
        }
        cases.append(head, to: try setting.params(world), steps: script.steps, .accept)
    }

    func file() throws(GeneratorFault) -> (name: String, file: VectorFile) { try cases.file() }
}
