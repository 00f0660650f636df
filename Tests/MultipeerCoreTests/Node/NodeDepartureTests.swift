import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("How links to members end and start afresh, SPEC §14.9")
struct NodeDepartureTests {
    @Test("A lost link is re-established (R14.9-3)")
    func lost() throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        network.run(for: .seconds(60))
        for connection in network.connections(anna, ben) { network.cut(connection) }
        network.run(for: .milliseconds(1))
        #expect(anna.app.departures(of: ben.key) == [.lost] && ben.app.departures(of: anna.key) == [.lost])
        network.run(for: .seconds(3))
        Networks.expectWhole(network, session)
        #expect(anna.app.connections(of: ben.key) == 2)
        #expect(ben.app.asked == [.existing], "a member that comes back is not asked about")
    }

    @Test("Silence is a loss after 15 s (R13.7-3)")
    func silent() throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        network.run(for: .seconds(60))
        network.part([[anna], [ben]])
        // The last record came up to 5 s ago: a peer that is idle pings as often.
        network.run(for: .seconds(9))
        #expect(anna.state(of: ben, in: session) == .connected && ben.state(of: anna, in: session) == .connected)
        network.run(for: .seconds(7))
        #expect(anna.app.departures(of: ben.key) == [.lost] && ben.app.departures(of: anna.key) == [.lost])
        network.heal()
        // The round that failed meanwhile lets 60 s pass.
        network.run(for: .seconds(75))
        Networks.expectWhole(network, session)
    }

    @Test(
        "A peer that the verdict rejects is refused, and not dialled until the app asks (R14.9-3)", arguments: [0, 1])
    func refused(judge: Int) throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        network.hosts[judge].app.verdict = .rejected(.refusedByApplication)
        for connection in network.connections(anna, ben) { network.cut(connection) }
        network.run(for: .seconds(70))
        #expect(anna.app.departures(of: ben.key) == [.lost, .refused])
        #expect(ben.app.departures(of: anna.key) == [.lost, .refused])
        #expect(anna.state(of: ben, in: session) == .refused && ben.state(of: anna, in: session) == .refused)
        let pieces = network.sentPieces
        network.run(for: .seconds(4_000))
        #expect(network.sentPieces == pieces, "nobody dials")
        network.hosts[judge].app.verdict = .accepted(.unverified)
        try network.act(anna) { node throws(NodeRequestError) in try node.dial(ben.key, in: session, at: network.now) }
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session)
    }

    @Test(
        "A link that the app closes stays closed; the app is asked about the member, which is then welcome (R14.8-2, R14.9-3)"
    )
    func closed() throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        network.act(anna) { $0.disconnect(ben.key, in: session, at: network.now) }
        network.run(for: .seconds(200))
        #expect(anna.app.departures(of: ben.key) == [.closed] && ben.app.departures(of: anna.key) == [.closed])
        #expect(anna.state(of: ben, in: session) == .known && network.connections(anna, ben).isEmpty)
        try network.act(ben) { node throws(NodeRequestError) in try node.dial(anna.key, in: session, at: network.now) }
        network.run(for: .seconds(5))
        #expect(anna.app.asked == [.members], "the app that had closed is asked")
        Networks.expectWhole(network, session)
        // It has accepted, so that it is not asked again.
        for connection in network.connections(anna, ben) { network.cut(connection) }
        network.run(for: .seconds(100))
        #expect(anna.app.asked == [.members])
        Networks.expectWhole(network, session)
    }

    @Test(
        "A blocked member is neither dialled nor accepted, until the block is lifted (R14.8-2, R14.9-3)",
        arguments: [0, 1])
    func blocked(blocker: Int) throws {
        let (network, session) = try Networks.session(of: 3)
        let (one, other) = (network.hosts[blocker], network.hosts[1 - blocker])
        network.act(one) { $0.block(other.key, at: network.now) }
        network.run(for: .seconds(200))
        #expect(one.state(of: other, in: session) == .refused)
        #expect(network.connections(one, other).isEmpty)
        // The third is not concerned, and reports each to the other as before (R14.3-3).
        Networks.expectEqualRosters(network, session)
        try network.act(other) { node throws(NodeRequestError) in try node.dial(one.key, in: session, at: network.now) }
        network.run(for: .seconds(5))
        #expect(other.state(of: one, in: session) == .refused && one.app.asked.count <= 1)
        network.act(one) { $0.unblock(other.key, at: network.now) }
        network.run(for: .seconds(70))
        Networks.expectWhole(network, session)
    }

    @Test("A shutdown is not final: the member is dialled again (R14.9-3)")
    func shuttingDown() throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        let memory = try #require(ben.memory(of: session))
        network.run(for: .seconds(60))
        let link = try #require(ben.link(to: anna, in: session))
        network.act(ben) { $0.close(link, .shuttingDown, at: network.now) }
        network.run(for: .milliseconds(200))
        #expect(anna.app.departures(of: ben.key) == [.closed])
        network.crash(ben)
        network.restart(ben, with: memory)
        network.run(for: .seconds(70))
        Networks.expectWhole(network, session)
    }

    @Test("An unreachable member is tried after 60 s, 120 s, … and at once when it restarts (R14.8-6)")
    func backingOff() throws {
        let (network, session) = try Networks.session(of: 3)
        let (anna, ben, cleo) = (network.hosts[0], network.hosts[1], network.hosts[2])
        let memory = try #require(cleo.memory(of: session))
        network.crash(cleo)
        network.run(for: .seconds(3_600))
        // 60 + 120 + … + 1,920 s is more than an hour: six attempts at most, and the first.
        #expect(anna.state(of: cleo, in: session) == .known)
        #expect((5...8).contains(anna.dials[2] ?? 0))
        network.restart(cleo, with: memory)
        network.run(for: .seconds(10))
        Networks.expectWhole(network, session)
        #expect(anna.app.connections(of: cleo.key) == 2 && ben.app.connections(of: cleo.key) == 2)
    }

    @Test("A session can be reused after all others have left")
    func reuse() throws {
        let (network, session) = try Networks.session(of: 3)
        let anna = network.hosts[0]
        for host in network.hosts.dropFirst() { network.leave(host, session) }
        network.run(for: .seconds(5))
        let stranger = try Networks.add(9, to: network)
        network.connect(anna, to: stranger, inviting: session)
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session, [anna, stranger])
        network.connect(anna, to: network.hosts[1], inviting: session)
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session, [anna, network.hosts[1], stranger])
    }

    @Test("After a disconnect either peer can invite again, and the link is maintained as before", arguments: [0, 1])
    func invitedAgain(inviter: Int) throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        network.act(anna) { $0.disconnect(ben.key, in: session, at: network.now) }
        network.run(for: .seconds(5))
        #expect(anna.app.departures(of: ben.key) == [.closed] && ben.app.departures(of: anna.key) == [.closed])
        let (host, other) = inviter == 0 ? (anna, ben) : (ben, anna)
        let asked = other.app.asked.count
        network.connect(host, to: other, inviting: session)
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session)
        #expect(other.app.asked.count == asked + 1 && other.app.asked.last == .existing)
        network.run(for: .seconds(60))
        for connection in network.connections(anna, ben) { network.cut(connection) }
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session)
        #expect(other.app.asked.count == asked + 1, "nobody is asked about a link that is made again")
    }

    @Test("An invitation that was declined can be repeated")
    func declined() throws {
        let network = Simulator(seed: 3)
        let anna = try Networks.add(1, to: network)
        let ben = try Networks.add(2, to: network)
        let session = try #require(network.found(anna))
        ben.app.declines = true
        network.connect(anna, to: ben, inviting: session)
        network.run(for: .seconds(2))
        #expect(anna.app.departures(of: ben.key) == [.refused])
        ben.app.declines = false
        network.connect(anna, to: ben, inviting: session)
        network.run(for: .seconds(2))
        Networks.expectWhole(network, session)
    }
}
