import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Invitations that wait for other links of their group")
struct NodeWaitingTests {
    private static let group = GroupNumber(rawValue: 1)

    private static func duel() throws -> NodeDuel {
        let duel = try NodeDuel()
        duel.group = group
        return duel
    }

    /// A peer has invited, and the app has accepted: the link is agreed on, and not open.
    private static func agreed(_ duel: NodeDuel, _ seed: UInt64) throws -> (link: LinkNumber, peer: ScriptedPeer) {
        let (link, peer) = try asked(duel, seed)
        try duel.node.accept(link, into: group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        return (link, peer)
    }

    /// A peer has invited to its own new session, and the app is asked.
    private static func asked(_ duel: NodeDuel, _ seed: UInt64) throws -> (link: LinkNumber, peer: ScriptedPeer) {
        let (link, peer) = try duel.connect(seed)
        try peer.send(invite: peer.invitation())
        try duel.exchange()
        return (link, peer)
    }

    private static func session(of peer: ScriptedPeer) -> SessionID {
        SessionID(peer.ownCharter, hashing: Peers.crypto.hashing)
    }

    // MARK: Answers

    @Test("An app accepts whom it likes, also among others: ACCEPT goes out at once, and the group is in both sessions")
    func atOnce() throws {
        let duel = try Self.duel()
        let (first, second) = (try Self.agreed(duel, 2), try Self.agreed(duel, 3))
        #expect(first.peer.sentTypes.contains(.accept) && second.peer.sentTypes.contains(.accept))
        try duel.finish(first.peer)
        let third = try Self.agreed(duel, 4)
        #expect(third.peer.sentTypes.contains(.accept))
        for peer in [second.peer, third.peer] { try duel.finish(peer) }
        #expect(Set(duel.node.sessionIDs) == Set([first, second, third].map { Self.session(of: $0.peer) }))
        #expect(duel.node.sessions(of: Self.group).count == 3)
    }

    @Test("A yes that waits for another link to its peer does not go out once the app has left")
    func leftMeanwhile() throws {
        let duel = try Self.duel()
        let first = try Self.agreed(duel, 2)
        try duel.finish(first.peer)
        // To another session of the peer's, in which the group is not yet.
        let (link, peer) = try duel.connect(2)
        let other = Charter(founder: peer.ownCharter.founder, nonce: [UInt8](repeating: 7, count: 32), parameters: [])
        try peer.send(invite: peer.invitation(charter: other, sessionKind: .new))
        try duel.exchange()
        try duel.node.accept(link, into: Self.group, with: NodeDuel.terms, at: duel.now)
        try duel.exchange()
        #expect(!peer.sentTypes.contains(.accept))
        duel.node.leave(Self.group, at: duel.now)
        try duel.exchange()
        #expect(peer.declined == 1 && !peer.sentTypes.contains(.accept) && duel.node.sessionIDs.count == 1)
    }

    // MARK: Invitations

    /// The node has entered a peer's session, and its ADMIT has not come; an invitation to a second peer waits.
    private static func planned() throws -> (
        duel: NodeDuel, host: (link: LinkNumber, peer: ScriptedPeer), guest: (link: LinkNumber, peer: ScriptedPeer)
    ) {
        let duel = try duel()
        let host = try agreed(duel, 2)
        try duel.finish(host.peer)
        let guest = try duel.connect(3)
        try duel.node.invite(
            on: guest.link, to: session(of: host.peer), in: group, terms: NodeDuel.terms, timeout: .seconds(10),
            patience: .forAdmission, at: duel.now)
        try duel.exchange()
        return (duel, host, guest)
    }

    private static func failures(_ duel: NodeDuel) -> [NodeRequestError] {
        duel.effects.compactMap { if case .notInvited(_, let error) = $0 { error } else { nil } }
    }

    @Test("Without patience an invitation fails while the local peer is not admitted")
    func impatient() throws {
        let (duel, host, _) = try Self.planned()
        let other = try duel.connect(4)
        #expect(throws: NodeRequestError.mayNotAdmit) {
            try duel.node.invite(
                on: other.link, to: Self.session(of: host.peer), terms: NodeDuel.terms, at: duel.now)
        }
    }

    @Test("INVITE goes out once the local peer is admitted, with the time that is left")
    func admitted() throws {
        let (duel, host, guest) = try Self.planned()
        #expect(!guest.peer.sentTypes.contains(.invite))
        try duel.advance(by: .seconds(4))
        try host.peer.send(
            Admit(chain: [try Duels.admission(of: duel.key.rawBytes, to: host.peer.ownCharter, by: host.peer.identity)])
        )
        try duel.exchange()
        let payload = try #require(guest.peer.payloads(of: .invite).first)
        let invite = try Invite(payload: payload.span)
        #expect(invite.timeout == 6_000 && invite.sessionKind == .existing && Self.failures(duel) == [])
    }

    @Test("An invitation that waits in vain fails in time, and its link ends")
    func late() throws {
        let (duel, _, guest) = try Self.planned()
        try duel.advance(by: .seconds(10))
        #expect(Self.failures(duel) == [.mayNotAdmit] && guest.peer.closeCode == .noError)
    }

    @Test("An invitation that waits fails with the session")
    func gone() throws {
        let (duel, host, guest) = try Self.planned()
        try duel.cut(host.link)
        #expect(Self.failures(duel) == [.unknownSession] && guest.peer.closeCode == .noError)
    }

    @Test("The peer invites on the link where an invitation waits: the app hears that its own is void, and is asked")
    func invitedInstead() throws {
        let (duel, _, guest) = try Self.planned()
        try guest.peer.send(invite: guest.peer.invitation())
        try duel.exchange()
        #expect(Self.failures(duel) == [.link(.wrongStage(.invited))] && duel.asked.last == guest.link)
        #expect(guest.peer.closeCode == nil)
    }
}
