import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Sessions of many, SPEC §14")
struct NodeSessionTests {
    @Test(
        "A session of two: connected, one roster, only the invitation is asked about (R14.5-1, R14.6-1)",
        arguments: [false, true])
    func two(reversed: Bool) throws {
        let (network, session) = try Networks.session(of: 2, reversed: reversed)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        #expect(ben.app.asked == [.existing] && anna.app.asked.isEmpty)
        #expect(anna.app.events == [.connected(ben.key, isReplacement: false)])
        #expect(ben.app.events == [.connected(anna.key, isReplacement: false)])
        #expect(anna.members(of: session) == [ben.key] && ben.members(of: session) == [anna.key])
        let info = ben.info(of: anna, in: session)
        #expect(info.name == Array(anna.name.utf8))
        #expect(info.addresses == [SimulatedHost.address(of: 0)])
    }

    @Test(
        "A peer that one member invites is linked to all, without their apps being asked (R14.6-7, R14.8-2)",
        arguments: [false, true])
    func three(reversed: Bool) throws {
        let (network, _) = try Networks.session(of: 3, reversed: reversed)
        for host in network.hosts.dropFirst() { #expect(host.app.asked == [.existing]) }
        for host in network.hosts { #expect(host.app.events.count == 2) }
    }

    @Test("A member that cannot be dialled dials (SPEC §14.8)")
    func unreachable() throws {
        for seeds in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] as [[UInt64]] {
            let network = Simulator(seed: 5)
            let anna = try Networks.add(seeds[0], to: network)
            let ben = try Networks.add(seeds[1], to: network, listens: false)
            let cleo = try Networks.add(seeds[2], to: network)
            let session = try #require(network.found(anna))
            network.connect(anna, to: ben, inviting: session)
            network.run(for: .seconds(5))
            network.connect(anna, to: cleo, inviting: session)
            network.run(for: .seconds(5))
            Networks.expectWhole(network, session)
        }
    }

    @Test("If only one of three can be reached, it is linked to both, and nobody dials in vain (SPEC §14.8)")
    func oneReachable() throws {
        for seeds in [[1, 2, 3], [3, 2, 1], [2, 3, 1]] as [[UInt64]] {
            let network = Simulator(seed: 8)
            let anna = try Networks.add(seeds[0], to: network)
            let others = try seeds.dropFirst().map { try Networks.add($0, to: network, listens: false) }
            let session = try #require(network.found(anna))
            // A peer that cannot be reached connects, and is invited over that link.
            for host in others {
                network.connect(host, to: anna, isInviting: false)
                network.run(for: .seconds(1))
                let connection = try #require(network.connections(host, anna).first)
                try network.act(anna) { node throws(NodeRequestError) in
                    try node.invite(
                        on: connection.link(of: anna), to: session, terms: SessionTerms(encryption: .optional),
                        at: network.now)
                }
                network.run(for: .seconds(5))
            }
            func check() {
                for host in others { Networks.expectWhole(network, session, [anna, host]) }
                #expect(others[0].state(of: others[1], in: session) == .known)
                #expect(others[1].state(of: others[0], in: session) == .known)
                Networks.expectEqualRosters(network, session)
            }
            check()
            network.run(for: .seconds(100))
            for connection in network.liveConnections { network.cut(connection) }
            network.run(for: .seconds(100))
            check()
            #expect(anna.dials.isEmpty && others.allSatisfy { $0.dials == [anna.id: 1] })
        }
    }

    @Test("Each member judges each other one itself: one may refuse a member that another has admitted (R14.8-3)")
    func ownVerdicts() throws {
        let network = Simulator(seed: 9)
        for seed in 1...3 as ClosedRange<UInt64> { try Networks.add(seed, to: network) }
        let (anna, ben, cleo) = (network.hosts[0], network.hosts[1], network.hosts[2])
        cleo.app.rejected = [ben.key]
        let session = try #require(network.found(anna))
        for host in [ben, cleo] { network.connect(anna, to: host, inviting: session) }
        network.run(for: .seconds(200))
        for host in [ben, cleo] { Networks.expectWhole(network, session, [anna, host]) }
        #expect(ben.state(of: cleo, in: session) == .refused && cleo.state(of: ben, in: session) == .refused)
        #expect(ben.app.departures(of: cleo.key) == [.refused] && cleo.app.departures(of: ben.key) == [.refused])
        Networks.expectEqualRosters(network, session)
    }

    @Test("A newcomer admits others, and a chain of two is valid for all (R14.2-1)")
    func chain() throws {
        let network = Simulator(seed: 6)
        for seed in 1...4 as ClosedRange<UInt64> { try Networks.add(seed, to: network) }
        let session = try #require(network.found(network.hosts[0]))
        for index in 0..<3 {
            network.connect(network.hosts[index], to: network.hosts[index + 1], inviting: session)
            network.run(for: .seconds(5))
        }
        Networks.expectWhole(network, session)
    }

    @Test("If only the founder admits, nobody else invites (R14.1-2)")
    func founderOnly() throws {
        let (network, session) = try Networks.session(of: 2, parameters: CharterParameters(admitters: .founder))
        let ben = network.hosts[1]
        let stranger = try Networks.add(9, to: network)
        let link = try #require(network.connect(ben, to: stranger, isInviting: false))
        #expect(throws: NodeRequestError.mayNotAdmit) {
            try network.act(ben) { node throws(NodeRequestError) in
                try node.invite(on: link, to: session, terms: SessionTerms(encryption: .optional), at: network.now)
            }
        }
    }

    @Test("A session takes as many as its charter says; members absent for a minute do not count (R14.1-2)")
    func maximum() throws {
        let (network, session) = try Networks.session(of: 3, parameters: CharterParameters(maximumMembers: 3))
        let stranger = try Networks.add(9, to: network)
        let anna = network.hosts[0]
        func invite() throws(NodeRequestError) {
            try network.act(anna) { node throws(NodeRequestError) in
                let link = node.opened(expecting: stranger.key, at: network.now)
                try node.invite(on: link, to: session, terms: SessionTerms(encryption: .optional), at: network.now)
            }
        }
        #expect(throws: NodeRequestError.sessionFull) { try invite() }
        // An entry of the peer makes it one that is counted already.
        network.crash(network.hosts[2])
        network.run(for: .seconds(59))
        #expect(throws: NodeRequestError.sessionFull) { try invite() }
        network.run(for: .seconds(2))
        network.connect(anna, to: stranger, inviting: session)
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session, [anna, network.hosts[1], stranger])
    }

    @Test("A member that has lost its chain is invited anew (R14.8-2, SPEC §14.7)")
    func forgotten() throws {
        let (network, session) = try Networks.session(of: 3)
        let (anna, cleo) = (network.hosts[0], network.hosts[2])
        network.crash(cleo)
        network.restart(cleo)
        network.run(for: .seconds(120))
        #expect(anna.state(of: cleo, in: session) == .refused)
        let reasons = anna.app.ends.filter { $0.member == cleo.key }.map { $0.end }
        #expect(reasons.contains { $0 == .failed(LinkFailure(stage: .inviting, cause: .invitation(.noSession))) })
        network.connect(anna, to: cleo, inviting: session)
        network.run(for: .seconds(120))
        Networks.expectWhole(network, session)
    }

    @Test("After a crash a member returns by its stored state, above its last run (R14.7-1)", arguments: [true, false])
    func restarted(noticed: Bool) throws {
        let (network, session) = try Networks.session(of: 3)
        let cleo = network.hosts[2]
        let memory = try #require(cleo.memory(of: session))
        network.crash(cleo, noticed: noticed)
        network.run(for: .seconds(30))
        for host in network.hosts.dropLast() { #expect(host.app.departures(of: cleo.key) == [.lost]) }
        network.restart(cleo, with: memory)
        network.run(for: .seconds(10))
        Networks.expectWhole(network, session)
        let now = try #require(cleo.memory(of: session))
        #expect(now.instance > memory.instance)
    }

    @Test("A run whose clock went backwards is accepted after two more frames (R14.7-2, R14.7-3)")
    func clockWentBack() throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        let old = try #require(ben.memory(of: session))
        network.crash(ben)
        network.restart(ben, wall: 1_000)
        network.connect(anna, to: ben, inviting: session)
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session)
        let new = try #require(ben.memory(of: session))
        #expect(new.instance == old.instance + 1)
        #expect(anna.app.events.allSatisfy { $0 != .contradiction(ben.key) })
    }

    @Test("A member that leaves says so first; it returns by its old chain (R14.9-1)")
    func leaving() throws {
        let (network, session) = try Networks.session(of: 3)
        let (anna, ben, cleo) = (network.hosts[0], network.hosts[1], network.hosts[2])
        network.leave(cleo, session)
        network.run(for: .seconds(5))
        for host in [anna, ben] {
            #expect(host.app.departures(of: cleo.key) == [.left] && host.state(of: cleo, in: session) == .gone)
        }
        Networks.expectEqualRosters(network, session)
        network.run(for: .seconds(4_000))
        #expect(network.connections(anna, cleo).isEmpty, "a member that has left is not dialled")
        network.comeBack(cleo, to: session)
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session)
    }

    @Test("A changed name or address is sent to all (R14.6-1); the 17th in a minute waits (R14.6-8)")
    func showing() throws {
        let (network, session) = try Networks.session(of: 3)
        let (anna, cleo) = (network.hosts[0], network.hosts[2])
        func show(_ index: Int) throws {
            let name = try DisplayName("Cleo \(index)")
            network.act(cleo) { $0.show(name: name, addresses: [SimulatedHost.address(of: 2)], at: network.now) }
        }
        func shown() -> [UInt8] { anna.info(of: cleo, in: session).name }
        for index in 1...20 { try show(index) }
        network.run(for: .seconds(1))
        // One was signed when Cleo joined.
        #expect(shown() == Array("Cleo 15".utf8))
        network.run(for: .seconds(60))
        #expect(shown() == Array("Cleo 20".utf8))
        Networks.expectEqualRosters(network, session)
    }

    @Test("Messages reach all members, in order, and their results are reported (R13.6-3)")
    func messages() throws {
        let (network, session) = try Networks.session(of: 4)
        for round in 0..<20 {
            for host in network.hosts { network.send(Array("\(host.name) \(round)".utf8), from: host, in: session) }
            network.run(for: .milliseconds(5))
        }
        network.run(for: .seconds(2))
        for host in network.hosts {
            #expect(host.app.sent.count == 60 && host.app.sent.allSatisfy { $0.result == .delivered })
            for other in network.hosts where other !== host {
                let expected = (0..<20).map { Array("\(other.name) \($0)".utf8) }
                #expect(host.app.received[other.key] == expected)
            }
        }
    }
}

extension NodeSessionTests {
    @Test(
        "What a member sends just before it leaves, or closes a link, reaches all (SPEC §17)", arguments: [false, true])
    func lastWords(leaves: Bool) throws {
        let (network, session) = try Networks.session(of: 3)
        let (anna, cleo) = (network.hosts[0], network.hosts[2])
        let message = Array("goodbye".utf8)
        if leaves {
            network.leave(cleo, session, afterSending: message)
        } else {
            let link = try #require(cleo.link(to: anna, in: session))
            network.close(link, of: cleo, in: session, afterSending: message)
        }
        network.run(for: .seconds(5))
        for host in network.hosts.dropLast() { #expect(host.app.received[cleo.key] == [message]) }
        #expect(cleo.app.sent.count == 2 && cleo.app.sent.allSatisfy { $0.result == .delivered })
        #expect(network.faults.isEmpty)
    }

    @Test("Members whose apps take all messages send each other as many as they like, and hold no memory (SPEC §13.5)")
    func manyMessages() throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        for round in 0..<20 as Range<UInt8> {
            network.send([UInt8](repeating: round, count: 100_000), from: anna, in: session)
            network.run(for: .milliseconds(100))
        }
        network.run(for: .seconds(5))
        #expect(ben.app.received[anna.key]?.count == 20)
        #expect(anna.app.sent.allSatisfy { $0.result == .delivered } && ben.lostMemory == 0)
    }
}
