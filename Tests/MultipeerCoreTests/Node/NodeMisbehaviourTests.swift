import MultipeerCertificates
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

@Suite("A node against peers that break the rules, SPEC §14")
struct NodeMisbehaviourTests {
    /// The node is a member of a session that a scripted peer founded, and both have proved their identities.
    static func member() throws -> (duel: NodeDuel, link: LinkNumber, peer: ScriptedPeer, session: SessionID) {
        let duel = try NodeDuel()
        let (link, peer, session) = try duel.joined(2)
        let admission = try peer.admission(of: duel.key.rawBytes, to: peer.ownCharter.encoded)
        try peer.send(WireBytes.admit(admission) + WireBytes.roster([try peer.ownEntry()]))
        try duel.exchange()
        return (duel, link, peer, session)
    }

    @Test("ADMIT makes a member, which announces itself (R14.5-1, R14.6-1)")
    func admitted() throws {
        let (duel, _, peer, session) = try Self.member()
        let entries = try peer.entriesThatCame()
        #expect(entries.map(\.content.member) == [duel.key.rawBytes])
        #expect(entries.first?.content.chain.count == 1 && entries.first?.content.presence == .present)
        let members = duel.node.members(of: session)
        #expect(members == [peer.identity.identityKey] && peer.closeCode == nil)
    }

    @Test("Entries after one that does not verify are not read; earlier ones are kept (R14.3-2, R14.5-3)")
    func forgedEntry() throws {
        let (duel, _, peer, session) = try Self.member()
        let third = try Peers.identity(3)
        let charter = peer.ownCharter.encoded
        let chain = try peer.admission(of: third.identityKey.rawBytes, to: charter)
        let sound = try peer.entry(
            WireBytes.entryContent(third.identityKey.rawBytes, chain: chain), in: charter, by: third)
        var forged = sound
        forged[32] = 2  // a greater instance, which nobody has signed
        try peer.send(WireBytes.roster([sound]) + WireBytes.roster([forged]) + WireBytes.message(total: 1, [1]))
        try duel.exchange()
        #expect(peer.closeCode == .entryInvalid && duel.messages.isEmpty)
        #expect(duel.departures(of: peer) == [.misbehaved] && duel.state(of: peer, in: session) == .misbehaved)
        let members = duel.node.members(of: session)
        #expect(members.contains(third.identityKey))
    }

    @Test("A member that has misbehaved is declined with reason 1, unasked, until the app lifts it (R14.9-4)")
    func offender() throws {
        let (duel, link, peer, session) = try Self.member()
        try peer.send(WireBytes.frame(.messagePart, [1]))
        try duel.exchange()
        #expect(duel.departures(of: peer) == [.misbehaved])
        try duel.cut(link)
        let asked = duel.asked.count
        let again = try duel.connect(2)
        try again.peer.send(invite: again.peer.invitation())
        try duel.exchange()
        #expect(again.peer.declined == 1 && duel.asked.count == asked)
        duel.node.unblock(peer.identity.identityKey, at: duel.now)
        let third = try duel.connect(2)
        try third.peer.send(invite: third.peer.invitation())
        try duel.exchange()
        #expect(third.peer.declined == nil && duel.asked.count == asked + 1)
        #expect(duel.state(of: peer, in: session) == .linking)
    }

    @Test("Members admitted by one that has misbehaved are declined unasked, also by a later run (R14.9-5, R14.9-6)")
    func vouched() throws {
        let (duel, _, founder, session) = try Self.member()
        let charter = founder.ownCharter.encoded
        func invite(_ chain: [UInt8]) -> [UInt8] {
            WireBytes.invite(charter: charter, sessionKind: 2, preference: 2, fields: WireBytes.field(2, chain))
        }
        let (link, mallory) = try duel.connect(3)
        let own = try founder.admission(of: mallory.identity.identityKey.rawBytes, to: charter)
        try mallory.send(invite(own))
        try duel.exchange()
        try duel.finish(mallory)
        #expect(duel.state(of: mallory, in: session) == .connected)
        try mallory.send(WireBytes.frame(.messagePart, [1]))
        try duel.exchange()
        try duel.cut(link)
        #expect(duel.departures(of: mallory) == [.misbehaved])

        func comes(_ seed: UInt64, to duel: NodeDuel) throws -> ScriptedPeer {
            let sybil = try duel.connect(seed).peer
            try sybil.send(invite(try mallory.admission(of: sybil.identity.identityKey.rawBytes, to: charter) + own))
            try duel.exchange()
            return sybil
        }
        let asked = duel.asked.count
        for seed in 100..<160 as Range<UInt64> {
            let sybil = try comes(seed, to: duel)
            #expect(sybil.declined == 1 && sybil.payloads(of: .accept).isEmpty)
        }
        #expect(duel.asked.count == asked)

        let memory = try #require(duel.memory(of: session))
        #expect(memory.grudges == [Grudge(peer: mallory.identity.identityKey, reason: .misbehaved)])
        let later = try NodeDuel()
        _ = try later.node.join(memory, at: later.now)
        #expect(try comes(200, to: later).declined == 1)
        let (_, again) = try later.connect(3)
        try again.send(invite(own))
        try later.exchange()
        #expect(again.declined == 1 && later.asked.isEmpty)
        later.node.unblock(mallory.identity.identityKey, at: later.now)
        #expect(try comes(201, to: later).payloads(of: .accept).count == 1)
    }

    @Test("A member that misbehaves on one link loses all others, in every session, and no other member does (R14.9-4)")
    func everyLink() throws {
        let (duel, _, peer, session) = try Self.member()
        let second = try duel.node.found(at: duel.now)
        let (link, elsewhere) = try duel.invited(2, to: second)
        let (_, idle) = try duel.connect(2)
        let (_, third) = try duel.invited(3, to: second)
        #expect(duel.state(of: peer, in: session) == .connected && duel.state(of: peer, in: second) == .connected)
        let entries = third.payloads(of: .roster).count
        try peer.send(WireBytes.frame(.messagePart, [1]))
        try duel.exchange()
        #expect(elsewhere.closeCode == .noError && idle.closeCode == .noError)
        try duel.cut(link)
        #expect(duel.departures(of: peer) == [.misbehaved, .misbehaved])
        #expect(duel.state(of: peer, in: session) == .misbehaved && duel.state(of: peer, in: second) == .misbehaved)

        try third.send(WireBytes.message(total: 1, [7]))
        let outcomes = try duel.node.send([8], to: .all, in: second, at: duel.now)
        try duel.exchange()
        #expect(outcomes.map { $0.member } == [third.identity.identityKey])
        #expect(duel.messages == [[7]] && third.payloads(of: .message).map { $0.last } == [8])
        #expect(third.closeCode == nil && duel.state(of: third, in: second) == .connected)
        #expect(duel.departures(of: third).isEmpty)
        #expect(third.payloads(of: .roster).count == entries, "other members are not notified")
    }

    @Test("ADMIT twice, with a wrong chain, or from the wrong peer (R14.5-1)")
    func admit() throws {
        let (twice, _, peer, _) = try Self.member()
        let admission = try peer.admission(of: twice.key.rawBytes, to: peer.ownCharter.encoded)
        try peer.send(WireBytes.admit(admission))
        try twice.exchange()
        #expect(peer.closeCode == .unexpectedFrame)

        let duel = try NodeDuel()
        let (_, wrong, _) = try duel.joined(2)
        try wrong.send(
            WireBytes.admit(try wrong.admission(of: try Peers.key(9).rawBytes, to: wrong.ownCharter.encoded)))
        try duel.exchange()
        #expect(wrong.closeCode == .entryInvalid)

        let session = try duel.node.found(at: duel.now)
        let (_, invitee) = try duel.invited(3, to: session)
        #expect(invitee.payloads(of: .admit).count == 1)
        let types = invitee.sentTypes.filter { $0 == .admit || $0 == .roster }
        #expect(types == [.admit, .roster], "ADMIT goes before everything else")
        try invitee.send(WireBytes.admit([]))
        try duel.exchange()
        #expect(invitee.closeCode == .unexpectedFrame)
    }

    @Test("DIGEST, SUMMARY and WANT out of turn (R14.5-4)", arguments: [FrameType.digest, .summary, .want])
    func outOfTurn(type: FrameType) throws {
        let frame =
            switch type {
            case .digest: WireBytes.digest([UInt8](repeating: 1, count: 32))
            case .summary: WireBytes.summary()
            default: WireBytes.want([[UInt8](repeating: 1, count: 32)])
            }
        let duel = try NodeDuel()
        let (_, early, _) = try duel.joined(2)
        try early.send(frame)
        try duel.exchange()
        #expect(early.closeCode == .unexpectedFrame)
        guard type != .digest else { return }
        // The own entry has come, and still nobody has asked. Whether the node has sent DIGEST depends on its key.
        let (asked, _, peer, _) = try Self.member()
        let digests = peer.payloads(of: .digest).count
        for _ in 0...(type == .summary ? digests : 0) { try peer.send(frame) }
        try asked.exchange()
        #expect(peer.closeCode == .unexpectedFrame)
    }

    @Test("More than 1,024 entries in a minute are dropped once decoded (R14.6-8)")
    func flood() throws {
        let (duel, _, peer, session) = try Self.member()
        let own = try peer.ownEntry()
        for _ in 0..<1_023 { try peer.send(WireBytes.roster([own])) }
        try duel.exchange()
        var forged = try peer.ownEntry(instance: 2)
        forged[forged.count - 1] ^= 1
        try peer.send(WireBytes.roster([forged]))
        try duel.exchange()
        #expect(peer.closeCode == nil && duel.state(of: peer, in: session) == .connected)
        try duel.advance(by: .seconds(61))
        try peer.send(WireBytes.roster([forged]))
        try duel.exchange()
        #expect(peer.closeCode == .entryInvalid)
    }

    @Test("Two entries under one number are their member's fault, and reported once (R14.4-2)")
    func contradiction() throws {
        let (duel, _, peer, session) = try Self.member()
        let third = try Peers.identity(3)
        let charter = peer.ownCharter.encoded
        let chain = try peer.admission(of: third.identityKey.rawBytes, to: charter)
        for name in ["a", "b", "c"] {
            let content = WireBytes.entryContent(third.identityKey.rawBytes, name: Array(name.utf8), chain: chain)
            try peer.send(WireBytes.roster([try peer.entry(content, in: charter, by: third)]))
        }
        try duel.exchange()
        let told = duel.effects.count {
            if case .contradiction(session, third.identityKey) = $0 { true } else { false }
        }
        #expect(told == 1 && duel.state(of: peer, in: session) == .connected)
    }

    @Test("A member that has forgotten its entries gets them back (R14.7-3)")
    func forgetful() throws {
        let (duel, _, peer, _) = try Self.member()
        let newest = try peer.ownEntry(instance: 7)
        try peer.send(WireBytes.roster([newest]))
        try duel.exchange()
        let before = try peer.entriesThatCame().count
        try peer.send(WireBytes.roster([try peer.ownEntry(instance: 3)]))
        try duel.exchange()
        let came = try peer.entriesThatCame()
        #expect(came.count == before + 1 && came.last?.encoded == newest)
    }

    @Test("A greater entry of the local key is exceeded at once, and then once in 10 s (R14.7-2)")
    func impostor() throws {
        let (duel, _, peer, session) = try Self.member()
        let (own, charter) = (try Peers.identity(1), peer.ownCharter.encoded)
        let chain = try peer.admission(of: own.identityKey.rawBytes, to: charter)
        var instance = try #require(try peer.entriesThatCame().last?.content.instance)
        for (pause, expected) in [(0, 1), (1, 0), (9, 1)] as [(Int64, Int)] {
            let before = try peer.entriesThatCame().count
            try duel.advance(by: .seconds(pause))
            instance += 10
            if pause < 9 {
                let content = WireBytes.entryContent(own.identityKey.rawBytes, instance: instance, chain: chain)
                try peer.send(WireBytes.roster([try peer.entry(content, in: charter, by: own)]))
                try duel.exchange()
            }
            let came = try peer.entriesThatCame()
            #expect(came.count == before + expected)
        }
        #expect(duel.state(of: peer, in: session) == .connected)
    }

    @Test("The first entry of a newcomer is forwarded, and no later one (R14.6-7)")
    func passedOn() throws {
        let duel = try NodeDuel()
        let session = try duel.node.found(at: duel.now)
        let (_, first) = try duel.invited(2, to: session)
        let charter = try #require(duel.memory(of: session)).charter.encoded
        func entry(_ peer: ScriptedPeer, sequence: UInt64) throws -> [UInt8] {
            let key = peer.identity.identityKey.rawBytes
            let chain = try peer.admission(of: key, to: charter, by: try Peers.identity(1))
            return try peer.entry(WireBytes.entryContent(key, sequence: sequence, chain: chain), in: charter)
        }
        try first.send(WireBytes.roster([try entry(first, sequence: 0)]))
        try duel.exchange()
        let (_, second) = try duel.invited(3, to: session)
        let before = try first.entriesThatCame().count
        for sequence in 0..<3 as Range<UInt64> {
            try second.send(WireBytes.roster([try entry(second, sequence: sequence)]))
        }
        try duel.exchange()
        let came = try first.entriesThatCame().dropFirst(before)
        #expect(came.map(\.content.member) == [second.identity.identityKey.rawBytes])
        #expect(came.first?.content.sequence == 0)
    }
}

/// A node whose app has met Mallory, a member whom the founder has admitted, and keys that Mallory admits.
private struct MalloryAndHerKeys {
    let duel: NodeDuel
    let founder: ScriptedPeer
    let session: SessionID
    let mallory: ScriptedPeer
    let link: LinkNumber
    private let admission: [UInt8]
    private var charter: [UInt8] { founder.ownCharter.encoded }

    init() throws {
        (duel, _, founder, session) = try NodeMisbehaviourTests.member()
        let charter = founder.ownCharter.encoded
        (link, mallory) = try duel.connect(3)
        admission = try founder.admission(of: mallory.identity.identityKey.rawBytes, to: charter)
        try mallory.send(Self.invite(charter, admission))
        try duel.exchange()
        try duel.finish(mallory)
        #expect(duel.state(of: mallory, in: session) == .connected)
    }

    private static func invite(_ charter: [UInt8], _ chain: [UInt8]) -> [UInt8] {
        WireBytes.invite(charter: charter, sessionKind: 2, preference: 2, fields: WireBytes.field(2, chain))
    }

    private func chain(of key: IdentityKey) throws -> [UInt8] {
        try mallory.admission(of: key.rawBytes, to: charter) + admission
    }

    /// A key that Mallory has admitted invites.
    func comes(_ seed: UInt64) throws -> (link: LinkNumber, peer: ScriptedPeer) {
        let (link, peer) = try duel.connect(seed)
        try peer.send(Self.invite(charter, try chain(of: peer.identity.identityKey)))
        try duel.exchange()
        return (link, peer)
    }

    /// An entry of Mallory's, or of a key that she has admitted.
    func entry(of seed: UInt64, instance: UInt64 = 1, presence: UInt8 = 1, addresses: [UInt8] = []) throws -> [UInt8] {
        let signer = try Peers.identity(seed)
        let isHers = signer.identityKey == mallory.identity.identityKey
        let content = WireBytes.entryContent(
            signer.identityKey.rawBytes, instance: instance, presence: presence, addresses: addresses,
            chain: isHers ? admission : try chain(of: signer.identityKey))
        return try founder.entry(content, in: charter, by: signer)
    }

    func misbehaves() throws {
        try mallory.send(WireBytes.frame(.messagePart, [1]))
        try duel.exchange()
        try duel.cut(link)
        #expect(duel.departures(of: mallory) == [.misbehaved])
    }

    func turnsAway() throws {
        duel.node.disconnect(mallory.identity.identityKey, in: session, at: duel.now)
        try duel.exchange()
        try duel.cut(link)
    }
}

extension NodeMisbehaviourTests {
    @Test("An opening link whose peer's admitter misbehaved is closed when it opens (R14.9-5)")
    func underWay() throws {
        let world = try MalloryAndHerKeys()
        let (_, sybil) = try world.comes(100)
        #expect(sybil.payloads(of: .accept).count == 1)
        try world.misbehaves()
        try world.duel.finish(sybil)
        #expect(sybil.closeCode == .noError)
        let opened = world.duel.effects.contains { effect in
            guard case .connected(_, _, let summary, _) = effect else { return false }
            return summary.peer.key == sybil.identity.identityKey
        }
        #expect(!opened)
    }

    @Test(
        "A member that the app has turned away is not forgotten, however many keys come and are asked about (R14.9-7)")
    func strangers() throws {
        let world = try MalloryAndHerKeys()
        try world.turnsAway()
        for seed in 100..<400 as Range<UInt64> {
            let (link, sybil) = try world.comes(seed)
            #expect(world.duel.asked.last == link && sybil.payloads(of: .accept).isEmpty)
            try world.duel.cut(link)
        }
    }

    @Test("Many strangers that an app declines do not make it forget members that it has turned away (R14.9-7)")
    func declinedStrangers() throws {
        let world = try MalloryAndHerKeys()
        try world.turnsAway()
        let held = try #require(world.duel.node.sessions[world.session])
        for seed in 1_000..<(1_001 + UInt64(NodeSession.mostTurnedAway)) {
            held.turnAway(try Peers.key(seed), avoiding: .closed)
        }
        #expect(held.turnedAway.keys.count == NodeSession.mostTurnedAway)
        let (link, sybil) = try world.comes(400)
        #expect(world.duel.asked.last == link && sybil.payloads(of: .accept).isEmpty)
    }

    @Test("A member that the app has turned away is not forgotten when its entry is dropped (R14.9-7)")
    func dropped() throws {
        let world = try MalloryAndHerKeys()
        try world.founder.send(WireBytes.roster([try world.entry(of: 3)]))
        try world.duel.exchange()
        try world.turnsAway()
        try world.founder.send(WireBytes.roster([try world.entry(of: 3, instance: 2, presence: 0)]))
        for seed in 100..<356 as Range<UInt64> { try world.founder.send(WireBytes.roster([try world.entry(of: seed)])) }
        try world.duel.exchange()
        let members = world.duel.node.members(of: world.session)
        #expect(members.count == 255 && !members.contains(world.mallory.identity.identityKey))
        let (link, sybil) = try world.comes(400)
        #expect(world.duel.asked.last == link && sybil.payloads(of: .accept).isEmpty)
    }

    @Test("After a new run or a local return a node does not dial a member that its app turned away (R14.9-3)")
    func notDialled() throws {
        let world = try MalloryAndHerKeys()
        try world.turnsAway()
        let addresses = [MemberAddress.ipv4, 6, 10, 0, 0, 3, 0x12, 0x67] as [UInt8]
        try world.founder.send(WireBytes.roster([try world.entry(of: 3, instance: 2, addresses: addresses)]))
        try world.duel.exchange()
        try world.duel.node.leave(world.session, at: world.duel.now)
        try world.duel.node.comeBack(to: world.session, at: world.duel.now)
        try world.duel.advance(by: .seconds(100))
        #expect(world.duel.dials.isEmpty)
        try world.duel.node.dial(world.mallory.identity.identityKey, in: world.session, at: world.duel.now)
        try world.duel.exchange()
        #expect(world.duel.dials.count == 1)
    }
}

extension NodeMisbehaviourTests {
    @Test("A guest sends no entry: messages go both ways, and it stays unknown (R14.5-5, R14.5-6)")
    func guest() throws {
        let duel = try NodeDuel()
        let session = try duel.node.found(at: duel.now)
        let (link, peer) = try duel.invited(2, to: session)
        try peer.send(WireBytes.message(total: 1, [7]))
        try duel.exchange()
        let outcome = try duel.node.send([8], to: .all, in: session, at: duel.now)
        try duel.exchange()
        #expect(outcome.map { $0.member } == [peer.identity.identityKey])
        #expect(duel.messages == [[7]] && peer.payloads(of: .message).map { $0.last } == [8])
        try duel.advance(by: .seconds(100))
        #expect(duel.state(of: peer, in: session) == .connected)
        #expect(peer.payloads(of: .digest).isEmpty, "a guest is no neighbour (R14.6-3)")
        try duel.cut(link)
        #expect(duel.state(of: peer, in: session) == .unknown && duel.dials.isEmpty)
    }

    @Test("A silent connection keeps its place until others need it: the oldest yields (SPEC §19)")
    func handshakes() throws {
        let duel = try NodeDuel { $0.maximumHandshakes = 3 }
        let silent = (0..<3).map { _ in duel.node.accepted(at: duel.now) }
        #expect(silent.map { duel.node.stage(of: $0) } == [.hello, .hello, .hello])
        let (_, peer) = try duel.connect(2)
        #expect(peer.refusal == nil && peer.closeCode == nil && peer.sentTypes.contains(.proof))
        #expect(silent.map { duel.node.stage(of: $0) } == [.closed, .hello, .hello])
        // A peer that has proved its key needs no place of this kind any more.
        _ = duel.node.accepted(at: duel.now)
        #expect(silent.map { duel.node.stage(of: $0) } == [.closed, .hello, .hello])
        _ = duel.node.accepted(at: duel.now)
        #expect(silent.map { duel.node.stage(of: $0) } == [.closed, .closed, .hello])
        // The listener has its own places, and the node adds to them.
        duel.node.changeMaximumHandshakes(by: 1)
        _ = duel.node.accepted(at: duel.now)
        #expect(silent.map { duel.node.stage(of: $0) } == [.closed, .closed, .hello])
    }

    @Test("One peer's links without an invitation are closed, but for the last four")
    func idleLinks() throws {
        let duel = try NodeDuel()
        let lines = try (0..<6).map { _ in try duel.connect(2) }
        #expect(lines.map { $0.peer.closeCode } == [.limitExceeded, .limitExceeded, nil, nil, nil, nil])
        #expect(duel.departures(of: lines[0].peer).isEmpty)
    }

    @Test("A broken record may be the network's fault: lost, and dialled again (R14.9-2)")
    func brokenRecord() throws {
        let (duel, _, peer, session) = try Self.member()
        var bytes = try peer.seal(WireBytes.message(total: 1, [1]))
        bytes[bytes.count - 1] ^= 1
        peer.sendRaw(bytes)
        try duel.exchange()
        #expect(duel.departures(of: peer) == [.lost] && duel.state(of: peer, in: session) == .known)
    }
}
