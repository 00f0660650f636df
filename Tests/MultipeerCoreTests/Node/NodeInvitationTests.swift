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

    private static let group = GroupNumber(rawValue: 1)

    /// A local INVITE to a new session waits on one link, and the peer invites to another one on a second.
    private static func crossed(
        isLesser: Bool
    ) throws -> (
        duel: NodeDuel, own: (link: LinkNumber, peer: ScriptedPeer), other: (link: LinkNumber, peer: ScriptedPeer)
    ) {
        let (duel, seed) = try duel(isLesser: isLesser)
        duel.group = group
        let own = try duel.connect(seed)
        try duel.node.invite(on: own.link, in: group, terms: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        let other = try duel.connect(seed)
        try other.peer.send(invite: other.peer.invitation())
        try duel.exchange()
        return (duel, own, other)
    }

    @Test(
        "Both invite to new sessions: the app is asked, and both INVITEs continue (R8.2-10)", arguments: [true, false])
    func bothInvite(isLesser: Bool) throws {
        let (duel, own, other) = try Self.crossed(isLesser: isLesser)
        #expect(duel.asked == [other.link] && own.peer.closeCode == nil && other.peer.declined == nil)
        try duel.node.accept(other.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        #expect(other.peer.sentTypes.contains(.accept) && own.peer.closeCode == nil)
        // The link that opens is the one that is left, and its session.
        try duel.finish(other.peer)
        #expect(own.peer.closeCode == .duplicateLink && duel.departures(of: own.peer).isEmpty)
        #expect(duel.node.sessionIDs == [SessionID(other.peer.ownCharter, hashing: Peers.crypto.hashing)])
    }

    @Test("A no to the peer's INVITE does not withdraw the local one", arguments: [true, false])
    func noIsNoWithdrawal(isLesser: Bool) throws {
        let (duel, own, other) = try Self.crossed(isLesser: isLesser)
        try duel.node.decline(other.link, at: duel.now)
        try duel.exchange()
        try own.peer.send(accept: Accept(preference: .optional, identityKind: .none, outcome: .encrypted))
        try duel.exchange()
        try duel.finish(own.peer)
        #expect(
            other.peer.declined == 1 && duel.node.openLinkCount(to: own.peer.identity.identityKey, in: Self.group) == 1)
    }

    @Test("INVITEs to sessions of different groups have nothing to do with each other")
    func groups() throws {
        let (duel, seed) = try Self.duel(isLesser: true)
        let session = try duel.node.found(at: duel.now)
        let first = try duel.invited(seed, to: session)
        let other = try duel.connect(seed)
        try other.peer.send(invite: other.peer.invitation())
        try duel.exchange()
        #expect(other.peer.declined == nil && duel.asked == [other.link])
        try duel.node.accept(other.link, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try duel.finish(other.peer)
        #expect(first.peer.closeCode == nil && duel.node.sessionIDs.count == 2)
    }

    @Test("A session that was left comes back in the group that accepts, which has one link to the peer (R8.7-3)")
    func leftSession() throws {
        let (duel, seed) = try Self.duel(isLesser: true)
        let (old, new) = (Self.group, GroupNumber(rawValue: 2))
        duel.group = old
        let first = try duel.joined(seed)
        try duel.node.leave(first.session, at: duel.now)
        try duel.exchange()
        try duel.cut(first.link)
        duel.group = new
        let own = try duel.connect(seed)
        try duel.node.invite(on: own.link, in: new, terms: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        let again = try duel.joined(seed)
        #expect(own.peer.closeCode == .duplicateLink)
        #expect(duel.node.openLinkCount(to: again.peer.identity.identityKey, in: new) == 1)
    }

    @Test("A verdict that comes while another link has READY waits for that link (R8.7-8)", arguments: [true, false])
    func verdicts(isLesser: Bool) throws {
        let (duel, own, other) = try Self.crossed(isLesser: isLesser)
        try duel.node.accept(other.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try own.peer.send(accept: Accept(preference: .optional, identityKind: .none, outcome: .encrypted))
        try duel.exchange()
        try own.peer.send(Certificates.none)
        try duel.exchange()
        try other.peer.send(Certificates.none)
        try duel.exchange()
        #expect(own.peer.sentTypes.contains(.ready) && other.peer.sentTypes.contains(.ready) == !isLesser)
        try duel.advance(by: .seconds(10))
        #expect(other.peer.sentTypes.contains(.ready) && own.peer.closeCode == (isLesser ? .duplicateLink : nil))
    }

    @Test("The app's yes waits for the end of an open link, as the INVITE does (R8.7-7)")
    func acceptedMeanwhile() throws {
        let (duel, seed) = try Self.duel(isLesser: false)
        duel.group = Self.group
        let session = try duel.node.found(in: Self.group, at: duel.now)
        let second = try duel.connect(seed)
        let own = try duel.connect(seed)
        try duel.node.invite(on: own.link, to: session, terms: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try second.peer.send(invite: second.peer.invitation())
        try duel.exchange()
        #expect(duel.asked == [second.link])
        try own.peer.send(accept: Accept(preference: .optional, identityKind: .none, outcome: .encrypted))
        try duel.exchange()
        try duel.finish(own.peer)
        try duel.node.accept(second.link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        #expect(!second.peer.sentTypes.contains(.accept) && own.peer.closeCode == nil)
        try duel.cut(own.link)
        #expect(second.peer.sentTypes.contains(.accept))
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

    @Test("A founder that has lost its memory is invited to its own session, and shows its entry (R14.6-1)")
    func forgetfulFounder() throws {
        let duel = try NodeDuel()
        let charter = Charter(founder: duel.key.rawBytes, nonce: Array(1...32))
        let (link, peer) = try duel.connect(2)
        let chain = try peer.admission(
            of: peer.identity.identityKey.rawBytes, to: charter.encoded, by: try Peers.identity(1))
        let admissions = try Admission.chain(chain.span)
        try peer.send(invite: peer.invitation(charter: charter, sessionKind: .existing, chain: admissions))
        try duel.exchange()
        try duel.node.accept(link, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        try duel.finish(peer)
        #expect(try peer.entriesThatCame().map(\.content.member) == [duel.key.rawBytes])
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
