import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

/// An honest node against scripted peers, each on a link of its own.
final class NodeDuel {
    static let terms = SessionTerms(encryption: .optional)

    var node: Node
    /// The node's identity key.
    let key: IdentityKey
    private(set) var now = Instant(nanoseconds: 5_000_000_000)
    /// Every effect so far.
    private(set) var effects: [NodeEffect] = []
    /// The links, in the order in which they began.
    private(set) var lines: [(link: LinkNumber, peer: ScriptedPeer)] = []
    /// What PEER_INFO of later peers lists.
    var features: [UInt16] = []
    /// Whether the app judges peers well.
    var accepts = true
    /// The group that listens; nil if it is not known which one answers.
    var group: GroupNumber?

    init(seed: UInt64 = 1, adjust: (inout NodeConfiguration) -> Void = { _ in }) throws {
        var configuration = NodeConfiguration(
            link: try Peers.configuration("Honest", seed: seed), memberTerms: Self.terms)
        configuration.milliseconds = 1_700_000_000_000
        configuration.addresses = [SimulatedHost.address(of: 1)]
        adjust(&configuration)
        key = configuration.link.identity.identityKey
        node = Node(configuration: configuration, random: SeededRandomSource(seed: 11), now: now)
    }

    // MARK: Carrying

    func exchange() throws {
        for _ in 0..<10_000 {
            var isBusy = false
            for (link, peer) in lines {
                let bytes = peer.flush()
                guard !bytes.isEmpty else { continue }
                isBusy = true
                node.receive(bytes.span, on: link, at: now)
            }
            while let effect = node.nextEffect() {
                effects.append(effect)
                isBusy = true
                react(to: effect)
            }
            while let link = node.nextReady() {
                let bytes = transmit(link)
                guard !bytes.isEmpty, let line = lines.first(where: { $0.link == link }) else { continue }
                isBusy = true
                try line.peer.receive(bytes)
            }
            if !isBusy { return }
        }
    }

    private func transmit(_ link: LinkNumber) -> [UInt8] {
        var bytes: [UInt8] = []
        while node.hasOutput(on: link) {
            let before = bytes.count
            bytes.append(addingCapacity: RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
                node.transmit(on: link, into: &output, at: now)
            }
            if bytes.count == before { break }
        }
        return bytes
    }

    private func react(to effect: NodeEffect) {
        guard accepts, case .verify(let link, let token, _) = effect else { return }
        try? node.submitVerdict(.accepted(.unverified), for: token, on: link, at: now)
    }

    /// Lets time pass. Deadlines on the way fire.
    func advance(by duration: Duration) throws {
        let target = now.advanced(by: duration)
        while let deadline = node.deadline, deadline <= target {
            now = max(now, deadline)
            node.timeout(at: now)
            try exchange()
        }
        now = target
    }

    /// The node's process is suspended for `duration`: no deadline fires, and what comes waits.
    func standStill(for duration: Duration) { now = now.advanced(by: duration) }

    // MARK: Peers

    /// A peer connects, and both know each other.
    func connect(_ seed: UInt64, isWithinHost: Bool = false) throws -> (link: LinkNumber, peer: ScriptedPeer) {
        let (link, peer) = try hello(seed, isWithinHost: isWithinHost)
        try peer.send(try peer.proof())
        try peer.send(peer.peerInfo())
        try exchange()
        return (link, peer)
    }

    /// A peer connects, and has not proved its identity yet.
    func hello(_ seed: UInt64, isWithinHost: Bool = false) throws -> (link: LinkNumber, peer: ScriptedPeer) {
        let peer = ScriptedPeer(
            role: .initiator, identity: try Peers.identity(seed), crypto: Peers.crypto,
            random: SeededRandomSource(seed: 1_000 + UInt64(lines.count)))
        peer.features = features
        let link = node.accepted(isWithinHost: isWithinHost, for: group, at: now)
        lines.append((link, peer))
        try peer.sendHello()
        try exchange()
        return (link, peer)
    }

    /// The dials that the node has asked for, and where to.
    var dials: [(number: DialNumber, address: MemberAddress)] {
        effects.compactMap { if case .dial(let number, let address) = $0 { (number, address) } else { nil } }
    }

    /// The dials that it needs no more.
    var cancelled: [DialNumber] {
        effects.compactMap { if case .cancelDial(let number) = $0 { number } else { nil } }
    }

    /// Somebody answers where the node has dialled, up to its keys; nil if nobody needs it any more.
    func answer(_ dial: DialNumber, as seed: UInt64) throws -> (link: LinkNumber, peer: ScriptedPeer)? {
        guard let link = node.connected(dial, at: now) else { return nil }
        let peer = ScriptedPeer(
            role: .responder, identity: try Peers.identity(seed), crypto: Peers.crypto,
            random: SeededRandomSource(seed: 1_000 + UInt64(lines.count)))
        lines.append((link, peer))
        try exchange()
        try peer.sendAnswer()
        try exchange()
        return (link, peer)
    }

    /// The end of a peer's stream.
    func cut(_ link: LinkNumber) throws {
        node.receiveEnd(on: link, at: now)
        try exchange()
    }

    /// Whatever follows ACCEPT, from a peer that has no certificate.
    func finish(_ peer: ScriptedPeer) throws {
        try peer.send(Certificates.none)
        try peer.send(Ready())
        try exchange()
    }

    /// A peer invites to its own new session, and the node's app accepts: the link is open.
    func joined(
        _ seed: UInt64, isWithinHost: Bool = false
    ) throws -> (link: LinkNumber, peer: ScriptedPeer, session: SessionID) {
        let (link, peer) = try connect(seed, isWithinHost: isWithinHost)
        try peer.send(invite: peer.invitation())
        try exchange()
        try node.accept(link, with: Self.terms, at: now)
        try exchange()
        try finish(peer)
        return (link, peer, SessionID(peer.ownCharter, hashing: Peers.crypto.hashing))
    }

    /// The node's app invites a peer to a session; the link is open.
    func invited(_ seed: UInt64, to session: SessionID?) throws -> (link: LinkNumber, peer: ScriptedPeer) {
        let (link, peer) = try connect(seed)
        try node.invite(on: link, to: session, terms: Self.terms, at: now)
        try exchange()
        try peer.send(accept: Accept(preference: .optional, identityKind: .none, outcome: .encrypted))
        try exchange()
        try finish(peer)
        return (link, peer)
    }

    // MARK: What there is to see

    /// The departures of a peer.
    func departures(of peer: ScriptedPeer) -> [Departure] {
        effects.compactMap { effect in
            guard case .departed(_, peer.identity.identityKey, let why, _) = effect else { return nil }
            return why
        }
    }

    /// On which links the app was asked about invitations.
    var asked: [LinkNumber] {
        effects.compactMap { if case .invited(let link, _, _) = $0 { link } else { nil } }
    }

    /// The messages that the app got.
    var messages: [[UInt8]] {
        effects.compactMap { if case .payload(_, .message(let message)) = $0 { message } else { nil } }
    }

    func memory(of session: SessionID) -> SessionMemory? { node.memory(of: session) }

    func state(of peer: ScriptedPeer, in session: SessionID) -> MemberState {
        node.state(of: peer.identity.identityKey, in: session)
    }
}

extension ScriptedPeer {
    /// The reason of the DECLINE that came, if one came.
    var declined: UInt8? { payloads(of: .decline).first?.first }

    /// An entry of this peer in its own session, of which it is the founder.
    func ownEntry(
        instance: UInt64 = 1, sequence: UInt64 = 0, presence: UInt8 = 1, addresses: [UInt8] = []
    ) throws -> [UInt8] {
        try entry(
            WireBytes.entryContent(
                identity.identityKey.rawBytes, instance: instance, sequence: sequence, presence: presence,
                addresses: addresses), in: ownCharter.encoded)
    }

    /// The entries that came, in order, by their members.
    func entriesThatCame() throws -> [RosterEntry] {
        try payloads(of: .roster).flatMap { try RosterFrame(payload: $0.span).entries }
    }
}
