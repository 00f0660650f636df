import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

/// A node that founded a session, and one scripted peer in each state of SPEC §14.10.
private final class MemberTable {
    let duel: NodeDuel
    let session: SessionID
    let charter: Charter
    let seed: UInt64 = 2
    var link: LinkNumber?
    var peer: ScriptedPeer?

    init(grace: Duration = .zero) throws {
        let duel = try NodeDuel { $0.grace = grace }
        let session = try duel.node.found(at: duel.now)
        let memory = try #require(duel.memory(of: session))
        (self.duel, self.session, charter) = (duel, session, memory.charter)
        // A witness reports the peer, where the peer does not report itself.
        witness = try duel.invited(9, to: session).peer
        try witness.send(WireBytes.roster([try entry(of: 9, instance: 1)]))
        try duel.exchange()
    }

    private let witness: ScriptedPeer

    var key: IdentityKey { get throws { try Peers.key(seed) } }
    var state: MemberState { get throws { duel.node.state(of: try key, in: session) } }

    func entry(of seed: UInt64, instance: UInt64, presence: UInt8 = 1) throws -> [UInt8] {
        let (member, founder) = (try Peers.identity(seed), try Peers.identity(1))
        let maker = try #require(duel.lines.first).peer
        let chain = try maker.admission(of: member.identityKey.rawBytes, to: charter.encoded, by: founder)
        return try maker.entry(
            WireBytes.entryContent(
                member.identityKey.rawBytes, instance: instance, presence: presence, chain: chain),
            in: charter.encoded, by: member)
    }

    /// Another member reports the peer.
    func hear(instance: UInt64, presence: UInt8 = 1) throws {
        try witness.send(WireBytes.roster([try entry(of: seed, instance: instance, presence: presence)]))
        try duel.exchange()
    }

    /// The peer invites, as a member or as a founder of something else.
    func invite(asMember: Bool = true) throws {
        let (link, peer) = try duel.connect(seed)
        (self.link, self.peer) = (link, peer)
        let chain = try peer.admission(of: try key.rawBytes, to: charter.encoded, by: try Peers.identity(1))
        let admissions = try Admission.chain(chain.span)
        try peer.send(
            invite: peer.invitation(charter: charter, sessionKind: asMember ? .members : .existing, chain: admissions))
        try duel.exchange()
    }

    func open() throws { try duel.finish(try #require(peer)) }

    func close(_ code: CloseCode) throws {
        try #require(peer).send(Close(code: code))
        try duel.exchange()
    }

    func reach(_ state: MemberState) throws {
        switch state {
        case .unknown: break
        case .known: try hear(instance: 1)
        case .gone: try hear(instance: 1, presence: 0)
        case .linking: try invite()
        case .connected:
            try invite()
            try open()
        case .reconnecting:
            try invite()
            try open()
            try duel.cut(try #require(link))
        case .refused:
            try hear(instance: 1)
            try invite()
            try close(.certificateRejected)
        case .misbehaved:
            try hear(instance: 1)
            try invite()
            try open()
            try #require(peer).send(WireBytes.frame(.messagePart, [1]))
            try duel.exchange()
        }
        #expect(try self.state == state)
    }
}

@Suite("States of a member, SPEC §14.10")
struct MemberTableTests {
    private func table(
        from states: [MemberState], to next: MemberState, _ input: (MemberTable) throws -> Void,
        _ location: SourceLocation = #_sourceLocation
    ) throws {
        for state in states {
            let table = try MemberTable(grace: state == .reconnecting ? .seconds(60) : .zero)
            try table.reach(state)
            try input(table)
            #expect(try table.state == next, "\(state)", sourceLocation: location)
        }
    }

    @Test("Entries")
    func entries() throws {
        try table(from: [.unknown, .known, .gone], to: .known) { try $0.hear(instance: 5) }
        try table(from: [.unknown, .known, .gone], to: .gone) { try $0.hear(instance: 5, presence: 0) }
        try table(from: [.refused], to: .known) { try $0.hear(instance: 5) }
        try table(from: [.refused], to: .refused) { try $0.hear(instance: 5, presence: 0) }
        try table(from: [.misbehaved], to: .misbehaved) { try $0.hear(instance: 5) }
        try table(from: [.connected], to: .connected) { try $0.hear(instance: 5, presence: 0) }
        try table(from: [.linking], to: .linking) { try $0.hear(instance: 5, presence: 0) }
    }

    @Test("INVITEs of the member")
    func invitations() throws {
        try table(from: [.unknown, .known, .gone, .refused, .linking, .reconnecting], to: .linking) { try $0.invite() }
        try table(from: [.connected], to: .connected) { try $0.invite() }
        try table(from: [.misbehaved], to: .misbehaved) { try $0.invite() }
        try table(from: [.unknown, .known, .gone, .refused], to: .linking) { table in
            let asked = table.duel.asked.count
            try table.invite(asMember: false)
            #expect(table.duel.asked.count == asked + 1)
        }
        try table(from: [.unknown, .known, .gone], to: .refused) { table in
            try table.invite(asMember: false)
            try table.duel.node.decline(try #require(table.link), at: table.duel.now)
            try table.duel.exchange()
        }
    }

    @Test("How links end")
    func ends() throws {
        try table(from: [.linking], to: .connected) { try $0.open() }
        try table(from: [.linking, .connected], to: .unknown) { try $0.duel.cut(try #require($0.link)) }
        try table(from: [.linking, .connected], to: .known) { table in
            try table.hear(instance: 5)
            try table.duel.cut(try #require(table.link))
        }
        try table(from: [.linking, .connected], to: .gone) { table in
            try table.hear(instance: 5, presence: 0)
            try table.duel.cut(try #require(table.link))
        }
        try table(from: [.linking], to: .refused) { try $0.close(.certificateRejected) }
        try table(from: [.connected], to: .misbehaved) { table in
            try #require(table.peer).send(WireBytes.frame(.messagePart, [1]))
            try table.duel.exchange()
        }
        try table(from: [.reconnecting], to: .reconnecting) { try $0.duel.advance(by: .milliseconds(59_999)) }
        try table(from: [.reconnecting], to: .unknown) { table in
            #expect(table.duel.departures(of: try #require(table.peer)).isEmpty)
            try table.duel.advance(by: .seconds(60))
            #expect(table.duel.departures(of: try #require(table.peer)) == [.lost])
        }
        // Another link takes its place.
        try table(from: [.connected], to: .connected) { table in
            let old = try #require(table.link)
            try table.invite()
            try table.duel.cut(old)
            try table.open()
            #expect(table.duel.departures(of: try #require(table.peer)).isEmpty)
        }
        try table(from: [.connected], to: .linking) { table in
            let old = try #require(table.link)
            try table.invite()
            try table.duel.cut(old)
            #expect(table.duel.departures(of: try #require(table.peer)).isEmpty)
        }
    }

    @Test("An app hears of one connection and then one end, whichever link ends first")
    func stories() throws {
        let table = try MemberTable()
        try table.reach(.connected)
        let (old, peer) = (try #require(table.link), try #require(table.peer))
        func connections() -> [Bool] {
            table.duel.effects.compactMap { effect in
                guard case .connected(table.session, _, let summary, let isReplacement) = effect,
                    summary.peer.key == peer.identity.identityKey
                else { return nil }
                return isReplacement
            }
        }
        // The old link ends while the new one is under way: the member has been connected all the time.
        try table.invite()
        try table.duel.cut(old)
        try table.open()
        #expect(connections() == [false, true] && table.duel.departures(of: peer).isEmpty)
        // It has left, as somebody else says, and has two links: the last one reports it.
        let second = try #require(table.link)
        try table.hear(instance: 5, presence: 0)
        try table.invite()
        try table.duel.cut(second)
        #expect(table.duel.departures(of: peer).isEmpty)
        try table.duel.cut(try #require(table.link))
        #expect(table.duel.departures(of: peer) == [.left])
        // A link that gave way, because its peer was silent, reports nothing (R8.7-7).
        try table.hear(instance: 6)
        try table.invite()
        try table.open()
        try table.invite()
        try table.duel.advance(by: .seconds(2))
        try table.open()
        try table.duel.cut(try #require(table.link))
        #expect(connections() == [false, true, false, true])
        #expect(table.duel.departures(of: peer) == [.left, .lost])
    }

    @Test("The local app")
    func app() throws {
        try table(from: MemberState.allCases, to: .refused) { table in
            table.duel.node.block(try table.key, at: table.duel.now)
            try table.duel.exchange()
        }
        try table(from: [.refused, .misbehaved], to: .known) { table in
            table.duel.node.unblock(try table.key, at: table.duel.now)
            try table.duel.exchange()
        }
        try table(from: [.refused, .misbehaved, .known], to: .known) { table in
            try table.duel.node.dial(try table.key, in: table.session, at: table.duel.now)
            try table.duel.exchange()
        }
    }
}
