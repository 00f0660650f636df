internal import MultipeerCore
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// A node script while it is written: the node plays its part, and peers send any frames.
final class NodeScript {
    typealias Member = Community.Member
    typealias Wire = WireBytes

    let world: NodeWorld
    private let node: ScriptNode
    private let runner: NodeRunner
    private(set) var steps: [JSONValue] = []
    /// What was heard and not expected.
    private(set) var surprises: [String] = []
    private(set) var lastDigest: [UInt8] = []

    init(_ setting: NodeSetting, world: NodeWorld) throws {
        self.world = world
        node = try ScriptNode(params: Arguments(setting.params(world), "params"), crypto: world.samples.crypto)
        runner = NodeRunner(crypto: world.samples.crypto)
    }

    // MARK: Steps

    private func take(_ step: [String: JSONValue]) throws {
        try node.take(Arguments(.object(step), "step"))
        steps.append(.object(step))
    }

    /// What was sent and reported. It is not looked at.
    @discardableResult
    func hear() throws -> NodeScript {
        _ = try heard()
        return self
    }

    /// What was sent and reported; it has to be what these words say, in whatever order.
    @discardableResult
    func hear(_ expected: [String]) throws -> NodeScript {
        let words = Self.words(of: try heard())
        if expected.sorted() != words {
            surprises.append("step \(steps.count): \(words), not \(expected.sorted())")
        }
        return self
    }

    @discardableResult
    func hear(_ first: String, _ others: String...) throws -> NodeScript { try hear([first] + others) }

    private func heard() throws -> JSONValue {
        let step = try runner.shown(node.poll())
        steps.append(step)
        lastDigest = step["digest"]?.decodedBytes ?? []
        return step
    }

    /// Frames as `link NAME`, events by their names, each with what matters of it.
    private static func words(of step: JSONValue) -> [String] {
        let sends = (step["sends"]?.elements ?? []).map { sent in
            let (name, payload) = (sent["frame"]?.text ?? "", sent["payload"]?.decodedBytes ?? [])
            var word = "\(sent["link"]?.number ?? 0) \(name)"
            switch name {
            case "CLOSE":
                word +=
                    " " + (CloseCode.registry.first { payload.starts(with: [UInt8($0.code.rawValue)]) }?.name ?? "?")
            case "DECLINE", "CANCEL": word += " \(payload.first ?? 0)"
            default: break
            }
            return word
        }
        let events = (step["events"]?.elements ?? []).map { event in
            let detail = event["departure"]?.text ?? event["address"]?["value"]?.text
            return (event["event"]?.text ?? "") + (detail.map { " " + $0 } ?? "")
        }
        return (sends + events).sorted()
    }

    /// A peer connects, and proves itself.
    @discardableResult
    func connects(
        _ link: Int, _ who: Member, expected: Bool = false, withinHost: Bool = false
    ) throws -> NodeScript {
        try take(
            JSONValue.some([
                "actor": "peer", "link": .integer(link), "identitySeed": .hex(who.seed),
                "expected": expected ? true : nil, "withinHost": withinHost ? true : nil,
            ]))
        return self
    }

    /// A connection is there that the node has asked for.
    @discardableResult
    func reaches(_ link: Int, _ who: Member, at address: MemberAddress, silent: Bool = false) throws -> NodeScript {
        try take(
            JSONValue.some([
                "actor": "peer", "link": .integer(link), "identitySeed": .hex(who.seed),
                "address": .address(address), "silent": silent ? true : nil,
            ]))
        return self
    }

    /// A silent peer answers.
    @discardableResult
    func proves(_ link: Int) throws -> NodeScript {
        try take(["actor": "peer", "link": .integer(link), "proves": true])
        return self
    }

    /// No connection could be made.
    @discardableResult
    func fails(_ address: MemberAddress) throws -> NodeScript {
        try take(["actor": "peer", "address": .address(address), "fails": true])
        return self
    }

    /// Frames of the peer, each in a record.
    @discardableResult
    func sends(_ link: Int, _ frames: [UInt8]..., fault: String? = nil, times: Int? = nil) throws -> NodeScript {
        for frame in frames {
            var cursor = FrameCursor(frame.span)
            guard let next = try cursor.next() else { throw GeneratorFault.cannotBuild("no frame") }
            try take(
                JSONValue.some([
                    "actor": "peer", "link": .integer(link), "frame": .string(FrameNames.name(of: next.rawType)),
                    "payload": .hex([UInt8](copying: next.payload)), "fault": fault.map(JSONValue.string),
                    "times": times.map(JSONValue.integer),
                ]))
        }
        return self
    }

    /// The stream of a link ends.
    @discardableResult
    func ends(_ link: Int) throws -> NodeScript {
        try take(["actor": "peer", "link": .integer(link), "end": true])
        return self
    }

    @discardableResult
    func clock(_ milliseconds: Int) throws -> NodeScript {
        try take(["actor": "clock", "advance": .integer(milliseconds)])
        return self
    }

    @discardableResult
    func app(
        _ what: String, _ link: Int? = nil, _ member: Member? = nil, nonce: [UInt8]? = nil
    ) throws -> NodeScript {
        try take(
            JSONValue.some([
                "actor": "app", "do": .string(what), "link": link.map(JSONValue.integer),
                "member": member.map { .hex($0.key) }, "nonce": nonce.map(JSONValue.hex),
            ]))
        return self
    }

    // MARK: Resuming

    /// The peer asks by RESUME for the association that began on link 1.
    @discardableResult
    func asks(_ link: Int, epoch: UInt64 = 0, received: UInt64 = 0, fault: String? = nil) throws -> NodeScript {
        try resuming(link, .resume, Wire.varint(epoch) + Wire.varint(received) + [0, 0], fault)
    }

    /// The peer answers the node's RESUME.
    @discardableResult
    func answers(_ link: Int, received: UInt64 = 0, fault: String? = nil) throws -> NodeScript {
        try resuming(link, .resumed, Wire.varint(received) + [0, 0], fault)
    }

    private func resuming(_ link: Int, _ type: FrameType, _ said: [UInt8], _ fault: String?) throws -> NodeScript {
        try take(
            JSONValue.some([
                "actor": "peer", "link": .integer(link), "frame": .string(FrameNames.name(of: type.rawValue)),
                "payload": .hex(said), "of": 1, "fault": fault.map(JSONValue.string),
            ]))
        return self
    }

    /// A peer connects, and asks for the association that began on link 1.
    @discardableResult
    func resumes(_ link: Int, _ who: Member, epoch: UInt64 = 0, received: UInt64 = 0) throws -> NodeScript {
        try connects(link, who).asks(link, epoch: epoch, received: received)
    }

    /// The app sends a message to a member.
    @discardableResult
    func tells(_ who: Member, _ text: String) throws -> NodeScript {
        try take(["actor": "app", "do": "send", "member": .hex(who.key), "bytes": .hex(Array(text.utf8))])
        return self
    }

    // MARK: What peers usually do

    /// The peer accepts the node's INVITE.
    @discardableResult
    func accepts(_ link: Int) throws -> NodeScript {
        try sends(link, Wire.accept(preference: 2), Wire.certificates(), Wire.ready)
    }

    /// The peer invites as a member.
    @discardableResult
    func invites(_ link: Int, _ who: Member, kind: UInt8 = 2, via: [Member] = []) throws -> NodeScript {
        try sends(link, try world.invite(who, kind: kind, via: via))
    }

    /// A member connects and links; with its own entry, unless there is none.
    @discardableResult
    func links(
        _ link: Int, _ who: Member, entry: [UInt8]? = nil, withinHost: Bool = false
    ) throws -> NodeScript {
        try connects(link, who, withinHost: withinHost).invites(link, who).sends(link, Wire.certificates(), Wire.ready)
        if let entry { try sends(link, Wire.roster([entry])) }
        return self
    }

    /// A peer connects, is invited by the node, and joins.
    @discardableResult
    func joins(_ link: Int, _ who: Member, entry: [UInt8]? = nil) throws -> NodeScript {
        try connects(link, who).app("invite", link).accepts(link)
        if let entry { try sends(link, Wire.roster([entry])) }
        return self
    }
}

extension JSONValue {
    /// The members that are there.
    fileprivate static func some(_ members: [String: JSONValue?]) -> [String: JSONValue] {
        members.compactMapValues(\.self)
    }
}

/// Frames of §14.
extension WireBytes {
    static func roster(_ entries: [[UInt8]]) -> [UInt8] {
        frame(.roster, vector(entries.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }))
    }

    static func admit(_ chain: [UInt8]) -> [UInt8] { frame(.admit, vector(chain) + [0]) }
    static func digest(_ digest: [UInt8]) -> [UInt8] { frame(.digest, digest + [0]) }

    static func want(_ members: [[UInt8]]) -> [UInt8] {
        frame(.want, vector(members.sorted { $0.lexicographicallyPrecedes($1) }.flatMap { $0 }) + [0])
    }
}
