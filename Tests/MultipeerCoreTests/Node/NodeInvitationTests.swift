import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("INVITEs that come to a node, SPEC §8.7 and §14.8")
struct NodeInvitationTests {
    /// A node with the lesser key, and the seed of a peer with the greater one; or the other way round.
    private static func duel(isLesser: Bool) throws -> (NodeDuel, peer: UInt64) {
        let seeds = try Peers.seedsByKey()
        let duel = try NodeDuel(seed: isLesser ? seeds.lesser : seeds.greater)
        return (duel, isLesser ? seeds.greater : seeds.lesser)
    }

    @Test("The local INVITE wins: DECLINE 5; 10 s later the local link counts as lost (R8.7-1, R8.7-4)")
    func ownStands() throws {
        let (duel, seed) = try Self.duel(isLesser: true)
        let first = try duel.connect(seed)
        try duel.node.invite(on: first.link, terms: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        for pause in [0, 9] as [Int64] {
            try duel.advance(by: .seconds(pause))
            let other = try duel.connect(seed)
            try other.peer.send(invite: other.peer.invitation())
            try duel.exchange()
            #expect(other.peer.declined == 5 && duel.asked.isEmpty && first.peer.closeCode == nil)
        }
        try duel.advance(by: .seconds(1))
        let last = try duel.connect(seed)
        try last.peer.send(invite: last.peer.invitation())
        try duel.exchange()
        #expect(first.peer.closeCode == .duplicateLink && duel.asked == [last.link])
    }

    @Test("The peer's INVITE wins: the local link is closed, and new sessions merge unasked (R8.7-1, R8.6-3)")
    func peerStands() throws {
        let (duel, seed) = try Self.duel(isLesser: false)
        let first = try duel.connect(seed)
        try duel.node.invite(on: first.link, terms: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        let other = try duel.connect(seed)
        try other.peer.send(invite: other.peer.invitation())
        try duel.exchange()
        #expect(first.peer.closeCode == .duplicateLink && duel.asked.isEmpty)
        #expect(other.peer.sentTypes.contains(.accept) && duel.departures(of: other.peer).isEmpty)
        let sessions = duel.node.sessionIDs
        #expect(sessions == [SessionID(other.peer.ownCharter, hashing: Peers.crypto.hashing)])
    }

    @Test("INVITEs to different existing sessions are independent (R8.7-1)")
    func independent() throws {
        let (duel, seed) = try Self.duel(isLesser: true)
        let session = try duel.node.found(at: duel.now)
        let first = try duel.connect(seed)
        try duel.node.invite(on: first.link, to: session, terms: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        let other = try duel.connect(seed)
        try other.peer.send(invite: other.peer.invitation())
        try duel.exchange()
        #expect(other.peer.declined == nil && duel.asked == [other.link] && first.peer.closeCode == nil)
    }

    @Test("A second INVITE for a session replaces the first (R8.7-5)")
    func replaced() throws {
        let (duel, seed) = try Self.duel(isLesser: true)
        let first = try duel.connect(seed)
        try first.peer.send(invite: first.peer.invitation())
        try duel.exchange()
        let second = try duel.connect(seed)
        try second.peer.send(invite: second.peer.invitation())
        try duel.exchange()
        #expect(first.peer.closeCode == .duplicateLink && duel.asked == [first.link, second.link])
        let replaced = duel.effects.contains { effect in
            if case .invitationReplaced(first.link, by: second.link) = effect { true } else { false }
        }
        #expect(replaced && duel.departures(of: first.peer).isEmpty)
        // One that was accepted and is not open goes as well.
        try duel.node.accept(second.link, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        let third = try duel.connect(seed)
        try third.peer.send(invite: third.peer.invitation())
        try duel.exchange()
        #expect(second.peer.closeCode == .duplicateLink && third.peer.closeCode == nil)
    }

    @Test(
        "An INVITE that crossed an accepted one: the lesser key declines for 10 s (R8.7-6)", arguments: [true, false])
    func crossedAccepted(isLesser: Bool) throws {
        let (duel, seed) = try Self.duel(isLesser: isLesser)
        _ = try duel.invited(seed, to: nil)
        let second = try duel.connect(seed)
        try second.peer.send(invite: second.peer.invitation())
        try duel.exchange()
        #expect(second.peer.declined == (isLesser ? 5 : nil))
        try duel.advance(by: .seconds(10))
        let third = try duel.connect(seed)
        try third.peer.send(invite: third.peer.invitation())
        try duel.exchange()
        #expect(third.peer.declined == nil && duel.asked.contains(third.link))
    }

    @Test(
        "An INVITE for the same session that the ACCEPT of the local one has overtaken closes nothing (R8.7-6)",
        arguments: [(wasThere: true, seconds: 9), (true, 10), (false, 1)] as [(wasThere: Bool, seconds: Int64)])
    func overtaken(wasThere: Bool, seconds: Int64) throws {
        let (duel, seed) = try Self.duel(isLesser: true)
        // The founder of a session may invite others to it.
        let session = try duel.node.found(at: duel.now)
        _ = try duel.invited(3, to: session)
        let own = try duel.connect(seed)
        let early = wasThere ? try duel.connect(seed) : nil
        try duel.advance(by: .milliseconds(1))
        try duel.node.invite(on: own.link, to: session, terms: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try own.peer.send(accept: Accept(preference: .optional, identityKind: .none, outcome: .encrypted))
        try duel.exchange()
        try duel.advance(by: .seconds(seconds))
        let crossing = try early ?? duel.connect(seed)
        let charter = try #require(duel.memory(of: session)).charter
        let chain = try crossing.peer.admission(
            of: try Peers.key(seed).rawBytes, to: charter.encoded, by: try Peers.identity(seed == 1 ? 2 : 1))
        let admissions = try Admission.chain(chain.span)
        try crossing.peer.send(
            invite: crossing.peer.invitation(charter: charter, sessionKind: .members, chain: admissions))
        try duel.exchange()
        let hasCrossed = wasThere && seconds < 10
        #expect(crossing.peer.declined == (hasCrossed ? 5 : nil))
        #expect(own.peer.closeCode == (hasCrossed ? nil : .duplicateLink))
    }

    @Test("A member's INVITE for a session that the local peer is not in: DECLINE 6, unasked (R14.8-2)")
    func noSession() throws {
        let duel = try NodeDuel()
        let (_, peer) = try duel.connect(2)
        try peer.send(invite: peer.invitation(charter: peer.ownCharter, sessionKind: .members, chain: []))
        try duel.exchange()
        #expect(peer.declined == 6 && duel.asked.isEmpty)
    }

    @Test("A member is accepted unasked, a blocked one declined with 1, one too many with 7 (R14.8-2)")
    func members() throws {
        for (blocks, places, expected) in [(false, 9, nil), (true, 9, 1), (false, 1, 7)] as [(Bool, Int, UInt8?)] {
            let duel = try NodeDuel { $0.maximumLinks = places }
            let session = try duel.node.found(at: duel.now)
            _ = try duel.invited(2, to: session)
            let charter = try #require(duel.memory(of: session)).charter
            if blocks { duel.node.block(try Peers.key(3), at: duel.now) }
            let (_, peer) = try duel.connect(3)
            let chain = try peer.admission(
                of: peer.identity.identityKey.rawBytes, to: charter.encoded, by: try Peers.identity(1))
            let admissions = try Admission.chain(chain.span)
            try peer.send(invite: peer.invitation(charter: charter, sessionKind: .members, chain: admissions))
            try duel.exchange()
            #expect(peer.declined == expected && duel.asked.isEmpty)
            #expect(peer.sentTypes.contains(.accept) == (expected == nil))
        }
    }

    @Test("A peer whose earlier messages the app has not taken is not accepted (R13.5-6)")
    func leftovers() throws {
        let (duel, link, peer, session) = try NodeMisbehaviourTests.member()
        let message = [UInt8](repeating: 7, count: 65_000)
        for _ in 0..<3 { try peer.send(WireBytes.message(total: UInt64(message.count), Array(message.prefix(65_000)))) }
        try duel.exchange()
        #expect(duel.messages.count == 3)
        try duel.cut(link)
        func invite() throws -> (link: LinkNumber, peer: ScriptedPeer) {
            let line = try duel.connect(2)
            try line.peer.send(
                invite: line.peer.invitation(charter: line.peer.ownCharter, sessionKind: .members, chain: []))
            try duel.exchange()
            return line
        }
        let second = try invite()
        #expect(second.peer.declined == 2)
        try second.peer.send(Close(code: .noError))
        try duel.exchange()
        #expect(duel.departures(of: peer) == [.lost, .lost])
        duel.node.releaseCredit(Link.messageCredit(ofLength: 65_000), on: link, at: duel.now)
        let third = try invite()
        #expect(third.peer.declined == nil && duel.state(of: peer, in: session) == .linking)
    }
}

extension NodeInvitationTests {
    @Test("An app is asked 16 times in a minute about one peer; then the peer has to wait")
    func questions() throws {
        let duel = try NodeDuel()
        for index in 0..<18 as Range<UInt8> {
            let (_, peer) = try duel.connect(2)
            let charter = Charter(
                founder: peer.identity.identityKey.rawBytes, nonce: [UInt8](repeating: index, count: 32))
            try peer.send(invite: peer.invitation(charter: charter, sessionKind: .new))
            try duel.exchange()
            #expect(peer.declined == (index < 16 ? nil : 2))
            try peer.send(WireBytes.frame(.cancel, [1, 0]))
            try duel.exchange()
        }
        try duel.advance(by: .seconds(60))
        let (link, peer) = try duel.connect(2)
        try peer.send(invite: peer.invitation())
        try duel.exchange()
        #expect(duel.asked.last == link)
    }

    @Test("The outcome of an invitation to another new session is reported beside the open one, and the reverse")
    func anotherNewSession() throws {
        let (duel, open, peer, session) = try NodeMisbehaviourTests.member()
        let second = try duel.connect(2)
        try duel.node.invite(on: second.link, terms: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try second.peer.send(Decline(.declined))
        try duel.exchange()
        #expect(duel.departures(of: peer) == [.refused] && duel.state(of: peer, in: session) == .connected)
        let third = try duel.connect(2)
        try duel.node.invite(on: third.link, terms: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try duel.cut(open)
        #expect(duel.departures(of: peer) == [.refused, .lost] && duel.state(of: peer, in: session) == .known)
    }

    @Test("A member that was declined for lack of a place is dialled once there is one (R14.9-3)")
    func placeAgain() throws {
        let (network, session) = try Networks.session(of: 2) { $0.maximumLinks = 1 }
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        let cleo = try Networks.add(9, to: network)
        // Ben invites Cleo over his only place, which his own app may.
        network.connect(ben, to: cleo, inviting: session)
        network.run(for: .seconds(100))
        #expect(anna.state(of: cleo, in: session) != .connected)
        network.leave(ben, session)
        network.run(for: .seconds(200))
        #expect(anna.state(of: cleo, in: session) == .connected)
    }
}
