internal import MultipeerCertificates
internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerScriptedPeer
internal import MultipeerSodium
internal import MultipeerTesting
internal import MultipeerWire

/// This project's node driven by the steps of a `NodeScript` (Vectors/README.md). Its links are real ones, each to a
/// ``NodePeer``.
final class ScriptNode {
    private var node: Node
    private let crypto: SwiftCrypto
    private let seed: [UInt8]
    private let random: ScriptRandomness
    private let refused: Set<IdentityKey>
    /// A script has one group.
    private let group = GroupNumber(rawValue: 1)
    private var now = Instant(nanoseconds: 0)
    /// By the script's number of the link.
    private var peers: [Int: NodePeer] = [:]
    private var numbers: [LinkNumber: Int] = [:]
    /// Connections that the node waits for.
    private var dials: [(number: DialNumber, address: MemberAddress)] = []
    private var events: [JSONValue] = []
    /// The sessions of INVITEs about which the app is asked.
    private var asked: [Int: SessionID] = [:]
    /// Members whose link is lost, and which the app was not told to be connected since.
    private var reconnecting: Set<IdentityKey> = []
    /// Whether the node's session is more than an invitation.
    private var hasSession: Bool

    init(params: Arguments, crypto: SwiftCrypto) throws(SubjectFault) {
        self.crypto = crypto
        seed = try params.bytes("identitySeed")
        random = ScriptRandomness()
        hasSession = params.has("charter")
        var refused: Set<IdentityKey> = []
        for key in params.has("refuses") ? try params.byteStrings("refuses") : [] {
            refused.insert(try Self.key(key, "params.refuses"))
        }
        self.refused = refused
        node = Node(configuration: try Self.configuration(params, crypto), random: random, now: now)
        if params.has("charter") {
            let memory = try Self.memory(params)
            do throws(NodeRequestError) {
                _ = try node.join(memory, in: group, at: now)
            } catch {
                throw .badQuestion("params.charter, params.chain")
            }
        }
        try settle()
    }

    private static func configuration(
        _ params: Arguments, _ crypto: SwiftCrypto
    ) throws(SubjectFault) -> NodeConfiguration {
        guard let name = try? DisplayName(String(decoding: try params.bytes("displayName"), as: UTF8.self)) else {
            throw .badQuestion("params.displayName")
        }
        var link: LinkConfiguration
        do { link = try crypto.configuration(seed: try params.bytes("identitySeed"), name: name) } catch {
            throw .badQuestion("params.identitySeed")
        }
        link.suites = [.chaChaPoly]
        link.sendsGrease = false
        link.timeouts.keepAlive = try KeepAliveTimes(params)
        var configuration = NodeConfiguration(link: link)
        for address in try params.objects("addresses") { configuration.addresses.append(try Self.address(address)) }
        configuration.milliseconds = try params.wide("milliseconds")
        if params.has("grace") { configuration.grace = .milliseconds(try params.number("grace")) }
        if params.has("maximumLinks") { configuration.maximumLinks = try params.number("maximumLinks") }
        return configuration
    }

    /// What the node remembers of its session.
    private static func memory(_ params: Arguments) throws(SubjectFault) -> SessionMemory {
        let (charter, chain) = (try params.bytes("charter"), try params.bytes("chain"))
        guard let charter = try? Charter(encoded: charter.span), let chain = try? Admission.chain(chain.span) else {
            throw .badQuestion("params.charter, params.chain")
        }
        var entries: [RosterEntry] = []
        for bytes in params.has("entries") ? try params.byteStrings("entries") : [] {
            guard let entry = try? RosterEntry(encoded: bytes.span) else { throw .badQuestion("params.entries") }
            entries.append(entry)
        }
        return SessionMemory(
            charter: charter, chain: chain, instance: params.has("instance") ? try params.wide("instance") : 0,
            entries: entries)
    }

    private static func key(_ bytes: [UInt8], _ name: String) throws(SubjectFault) -> IdentityKey {
        guard let key = try? IdentityKey(rawBytes: bytes) else { throw .badQuestion(name) }
        return key
    }

    private static func address(_ step: Arguments) throws(SubjectFault) -> MemberAddress {
        MemberAddress(kind: UInt8(truncatingIfNeeded: try step.number("kind")), value: try step.bytes("value"))
    }

    // MARK: Steps

    /// Takes a step whose actor is not `self`.
    func take(_ step: Arguments) throws(SubjectFault) {
        switch try step.text("actor") {
        case "peer": try peerActs(step)
        case "clock": try advance(by: try step.number("advance"))
        case "app":
            let request = try NodeRequest(step)
            // What comes at a wrong time changes nothing.
            do throws(NodeRequestError) { try perform(request) } catch {}
        default: throw .badQuestion("step.actor")
        }
        try settle()
    }

    private func peerActs(_ step: Arguments) throws(SubjectFault) {
        if step.json["fails"]?.truth == true {
            if let dial = takeDial(try Self.address(try step.object("address"))) { node.failed(dial, at: now) }
            return
        }
        let link = try step.number("link")
        if step.has("identitySeed") { return try connect(link, step) }
        guard let peer = peers[link] else { throw .badQuestion("step.link") }
        if step.json["proves"]?.truth == true { return try peer.prove() }
        if step.json["end"]?.truth == true { return end(peer) }
        guard let type = FrameNames.type(of: try step.text("frame")) else { throw .badQuestion("step.frame") }
        let fault = step.has("fault") ? NodePeer.RecordFault(rawValue: try step.text("fault")) : nil
        let frame = FrameNames.frame(type, try payload(step, of: peer))
        for _ in 0..<(step.has("times") ? try step.number("times") : 1) {
            try peer.send(frame, fault: fault)
            try settle()
        }
    }

    /// A link begins: to a peer that connects, or over a connection that the app or the node has made.
    private func connect(_ link: Int, _ step: Arguments) throws(SubjectFault) {
        guard peers[link] == nil else { throw .badQuestion("step.link") }
        let seed = try step.bytes("identitySeed")
        guard seed != self.seed else { throw .badQuestion("step.identitySeed is the node's own") }
        let isWithinHost = step.json["withinHost"]?.truth == true
        let number: LinkNumber?
        if step.has("address") {
            let dial = takeDial(try Self.address(try step.object("address")))
            number = dial.flatMap { node.connected($0, isWithinHost: isWithinHost, at: now) }
        } else if step.json["expected"]?.truth == true {
            let key: IdentityKey
            do { key = try crypto.identity(seed: seed).identityKey } catch { throw .badQuestion("step.identitySeed") }
            number = node.opened(expecting: key, isWithinHost: isWithinHost, at: now)
        } else {
            number = node.accepted(isWithinHost: isWithinHost, for: group, at: now)
        }
        guard let number else { throw .badQuestion("step.address: the node does not wait for it") }
        let isDialled = step.has("address") || step.json["expected"]?.truth == true
        numbers[number] = link
        peers[link] = try NodePeer(
            number, role: isDialled ? .responder : .initiator, seed: seed,
            isSilent: step.json["silent"]?.truth == true, crypto: crypto)
    }

    // MARK: Resuming

    /// Of RESUME and RESUMED a step gives what stands between `association` and `proof`, and the first link of the association.
    private func payload(_ step: Arguments, of peer: NodePeer) throws(SubjectFault) -> [UInt8] {
        let given = try step.bytes("payload")
        guard step.has("of") else { return given }
        guard let (association, secret) = peers[try step.number("of")]?.resumption() else {
            throw .badQuestion("step.of")
        }
        let fault = step.has("fault") ? try step.text("fault") : nil
        let name = fault == "association" ? [UInt8](repeating: 0, count: association.count) : association
        let said = try step.text("frame") == "RESUME" ? name + given : given
        let proof = try peer.resumeProof(of: said, isOwn: true, secret: secret)
        return said + (fault == "proof" ? [UInt8](repeating: 0, count: proof.count) : proof)
    }

    /// What the node sent, RESUME and RESUMED without what differs with each handshake; that is judged here.
    private func shown(_ heard: NodePeer.Heard, on link: NodePeer) throws(SubjectFault) -> [UInt8] {
        let type = FrameType(rawValue: heard.type)
        guard type == .resume || type == .resumed else { return FrameNames.frame(heard.type, heard.payload) }
        let said = Array(heard.payload.dropLast(Resume.proofLength))
        for (_, first) in peers.sorted(by: { $0.key < $1.key }) {
            guard let (association, secret) = first.resumption() else { continue }
            let proof = try link.resumeProof(of: said, isOwn: false, secret: secret)
            guard heard.payload.suffix(Resume.proofLength) == proof[...] else { continue }
            if type == .resumed { return FrameNames.frame(heard.type, said) }
            guard said.starts(with: association) else { break }
            return FrameNames.frame(heard.type, Array(said.dropFirst(association.count)))
        }
        throw .inconsistent("the proof of \(FrameNames.name(of: heard.type)) is wrong")
    }

    private func takeDial(_ address: MemberAddress) -> DialNumber? {
        dials.firstIndex { $0.address == address }.map { dials.remove(at: $0).number }
    }

    private func end(_ peer: NodePeer) {
        guard !peer.hasEnded else { return }
        peer.hasEnded = true
        node.receiveEnd(on: peer.link, at: now)
    }

    private func advance(by milliseconds: Int) throws(SubjectFault) {
        let target = now.advanced(by: .milliseconds(milliseconds))
        while let deadline = node.deadline, deadline <= target {
            now = max(now, deadline)
            node.timeout(at: now)
            try settle()
        }
        now = target
    }

    /// The session in which the group comes together, or else the one of which it became a member last.
    private var session: SessionID? {
        let sessions = node.sessionIDs
        return node.home(of: group) ?? sessions.last { node.memory(of: $0)?.chain != nil } ?? sessions.last
    }

    private func perform(_ request: NodeRequest) throws(NodeRequestError) {
        let session = self.session
        func number(_ link: Int) throws(NodeRequestError) -> LinkNumber {
            guard let peer = peers[link] else { throw .unknownLink }
            return peer.link
        }
        func known() throws(NodeRequestError) -> SessionID {
            guard let session else { throw .unknownSession }
            return session
        }
        switch request {
        case .invite(let link, nonce: nil):
            try node.invite(on: try number(link), to: try known(), terms: SessionTerms(), at: now)
        case .invite(let link, nonce: let nonce?):
            // A script has one session that is more than an invitation.
            guard session == nil else { return }
            random.nonce = nonce
            defer { random.nonce = nil }
            try node.invite(on: try number(link), in: group, terms: SessionTerms(), at: now)
        // An app answers only what it was asked.
        case .accept(let link) where asked[link] != nil:
            try node.accept(try number(link), into: group, with: SessionTerms(), at: now)
        case .decline(let link) where asked[link] != nil: try node.decline(try number(link), at: now)
        case .accept, .decline: throw .unknownLink
        case .leave: try node.leave(try known(), at: now)
        case .comeBack: try node.comeBack(to: try known(), at: now)
        case .dial(let member): try node.dial(member, in: try known(), at: now)
        case .disconnect(let member): node.disconnect(member, in: try known(), at: now)
        case .block(let member): node.block(member, at: now)
        case .lift(let member): node.unblock(member, at: now)
        case .send(let message, let member):
            _ = try node.send(message, to: .members([member]), in: try known(), at: now)
        }
    }

    // MARK: Settling

    /// Carries bytes both ways, and answers for the app, until all are silent.
    private func settle() throws(SubjectFault) {
        var hasMoved = true
        while hasMoved {
            hasMoved = false
            while let effect = node.nextEffect() {
                note(effect)
                hasMoved = true
            }
            while let ready = node.nextReady() {
                let bytes = transmitted(ready)
                if let peer = numbers[ready].flatMap({ peers[$0] }), !bytes.isEmpty { try peer.receive(bytes) }
                hasMoved = true
            }
            for (_, peer) in peers.sorted(by: { $0.key < $1.key }) where !peer.hasEnded {
                let bytes = peer.flush()
                if !bytes.isEmpty {
                    node.receive(bytes.span, on: peer.link, at: now)
                    hasMoved = true
                } else if peer.hasClosed {
                    end(peer)
                    hasMoved = true
                }
            }
        }
    }

    private func transmitted(_ link: LinkNumber) -> [UInt8] {
        var bytes: [UInt8] = []
        while node.hasOutput(on: link) {
            bytes.append(addingCapacity: RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
                node.transmit(on: link, into: &output, at: now)
            }
        }
        return bytes
    }

    private func note(_ effect: NodeEffect) {
        switch effect {
        case .dial(let number, let address):
            dials.append((number, address))
            add("dial", ["address": .address(address)])
        case .cancelDial(let number): dials.removeAll { $0.number == number }
        case .invited(let link, _, let invitation):
            if let number = numbers[link] { asked[number] = invitation.session }
            add("asked", link, ["sessionKind": .integer(Int(invitation.kind.rawValue))])
        case .invitationReplaced(let link, let other):
            add("replaced", link, ["by": numbers[other].map(JSONValue.integer) ?? .null])
        case .verify(let link, let token, let evidence): judge(link, token, evidence)
        case .connected(_, _, let summary, let isReplacement):
            hasSession = true
            let member = summary.peer.key
            if reconnecting.remove(member) != nil || !isReplacement {
                add("connected", ["member": .hex(member.rawBytes)])
            }
        case .departed(_, let member, let departure, _):
            reconnecting.remove(member)
            add("departed", ["member": .hex(member.rawBytes), "departure": .string("\(departure)")])
        case .united(_, from: _, let session): add("united", ["session": .hex(session.rawBytes)])
        case .staysApart(_, let session): add("apart", ["session": .hex(session.rawBytes)])
        case .reconnecting(_, let member, _):
            reconnecting.insert(member)
            add("reconnecting", ["member": .hex(member.rawBytes)])
        case .contradiction(_, let member): add("contradiction", ["member": .hex(member.rawBytes)])
        case .twinSuspected: add("twin", [:])
        case .placeLost: add("placeLost", [:])
        // The app takes messages as soon as they come.
        case .payload(let link, .message(let bytes)):
            node.releaseCredit(Link.messageCredit(ofLength: bytes.count), on: link, at: now)
        // What scripts do not look at: transports, names, payload, and what an app is shown of members.
        case .released, .identified, .visited, .invitationAccepted, .followed, .left, .notInvited, .callEnded,
            .verification, .codeExpired, .closed, .payload, .memberChanged, .signingFailed, .moved, .resumed:
            break
        }
    }

    private func judge(_ link: LinkNumber, _ token: LinkToken, _ evidence: PeerEvidence) {
        let verdict: Verdict =
            refused.contains(evidence.peer.key) ? .rejected(.refusedByApplication) : .accepted(.unverified)
        // A verdict that comes too late changes nothing.
        do throws(NodeRequestError) { try node.submitVerdict(verdict, for: token, on: link, at: now) } catch {}
    }

    private func add(_ name: String, _ link: LinkNumber, _ members: [String: JSONValue]) {
        add(name, members.merging(["link": numbers[link].map(JSONValue.integer) ?? .null]) { own, _ in own })
    }

    private func add(_ name: String, _ members: [String: JSONValue]) {
        events.append(.object(members.merging(["event": .string(name)]) { own, _ in own }))
    }

    // MARK: Outputs

    /// Frames by link, events, and the digest of the roster.
    func poll() throws(SubjectFault) -> LinkPoll {
        var poll = LinkPoll(events: events, deadline: node.deadline.map { Int($0.nanoseconds / 1_000_000) })
        events = []
        for (number, peer) in peers {
            for heard in peer.takeHeard() { poll.links[number, default: []] += try shown(heard, on: peer) }
        }
        if hasSession, let session, node.memory(of: session)?.chain != nil {
            poll.digest = node.rosterDigest(of: session)
        }
        return poll
    }
}

/// Randomness that no script sees, but for the nonce of a session that is founded.
private final class ScriptRandomness: RandomSource {
    /// What the next 32 bytes are.
    var nonce: [UInt8]?
    private var source = SeededRandomSource(seed: 1)

    func fill(_ bytes: inout MutableSpan<UInt8>) {
        if let nonce, nonce.count == bytes.count {
            for index in bytes.indices { bytes[index] = nonce[index] }
            self.nonce = nil
        } else {
            source.fill(&bytes)
        }
    }
}

extension JSONValue {
    /// An address as events and parameters show it.
    static func address(_ address: MemberAddress) -> JSONValue {
        ["kind": .integer(Int(address.kind)), "value": .hex(address.value)]
    }
}
