import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Unions of sessions, SPEC §14.11")
struct UnionTests {
    private static let terms = SessionTerms(encryption: .optional)
    private static let group = GroupNumber(rawValue: 1)

    private static func strangers(_ count: Int, seed: UInt64) throws -> Simulator {
        var options = Simulator.Options()
        options.latency = 1...(seed % 3 == 0 ? 400 : 40)
        let network = Simulator(seed: seed, options: options)
        for seed in try Networks.seeds(count) { try Networks.add(seed, to: network) }
        for host in network.hosts { host.group = group }
        return network
    }

    /// One host invites another one to the home of its group, or to a session of its own.
    private static func invite(_ network: Simulator, _ host: SimulatedHost, _ other: SimulatedHost) {
        guard let link = network.connect(host, to: other, isInviting: false, expects: true) else { return }
        let home = host.node.home(of: group)
        network.act(host) { node in
            _ = try? node.invite(
                on: link, to: home, in: group, terms: terms, patience: .forAdmission, at: network.now)
        }
    }

    private static func expectOneGroup(_ network: Simulator, _ hosts: [SimulatedHost], _ text: String) {
        let homes = hosts.map { $0.node.home(of: group) }
        #expect(Set(homes).count == 1 && homes[0] != nil, "\(text): \(homes)")
        guard let home = homes[0] else { return }
        let digests = Set(hosts.map { $0.node.rosterDigest(of: home) ?? [] })
        #expect(digests.count == 1, "\(text): \(digests.count) rosters")
        for host in hosts {
            for other in hosts where other !== host {
                #expect(host.node.openLinkCount(to: other.key, in: group) == 1, "\(text): \(host.name), \(other.name)")
                #expect(host.node.link(to: other.key, in: home) != nil, "\(text): \(host.name), \(other.name)")
                #expect(host.app.shown[other.key] != nil, "\(text): \(host.name) shows \(other.name)")
            }
        }
        for fault in network.faults { Issue.record("\(text): \(fault)") }
        for host in hosts {
            for event in host.app.events {
                if case .departed(_, .misbehaved) = event { Issue.record("\(text): \(host.name) \(host.app.ends)") }
            }
        }
    }

    @Test("Apps that all invite each other at random times come together in one session", arguments: 2...6)
    func everybody(count: Int) throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            let network = try Self.strangers(count, seed: seed)
            var pairs = network.hosts.flatMap { host in
                network.hosts.filter { $0 !== host }.map { (host, $0) }
            }
            var dice = network.dice
            while !pairs.isEmpty {
                let pair = pairs.remove(at: dice.next(below: pairs.count))
                Self.invite(network, pair.0, pair.1)
                network.run(for: .milliseconds(Int64(dice.next(below: 300))))
            }
            network.run(for: .seconds(40))
            Self.expectOneGroup(network, network.hosts, "seed \(seed)")
        }
    }

    @Test("Two groups that one app joins become one")
    func twoGroups() throws {
        for seed in 1...30 as ClosedRange<UInt64> {
            let network = try Self.strangers(6, seed: seed)
            let hosts = network.hosts
            for (one, other) in [(0, 1), (0, 2), (3, 4), (3, 5)] {
                Self.invite(network, hosts[one], hosts[other])
                network.run(for: .seconds(5))
            }
            #expect(hosts[0].node.home(of: Self.group) != hosts[3].node.home(of: Self.group))
            Self.invite(network, hosts[Int(seed % 3)], hosts[3 + Int(seed / 3 % 3)])
            network.run(for: .seconds(40))
            Self.expectOneGroup(network, hosts, "seed \(seed)")
        }
    }

    @Test("Two whose link was under way when their group went to another session are linked after it has failed")
    func linkOfOldSession() throws {
        let network = try Self.strangers(3, seed: 1)
        let (anna, ben, cleo) = (network.hosts[0], network.hosts[1], network.hosts[2])
        ben.app.terms = nil
        Self.invite(network, anna, ben)
        try #require(network.run(until: .seconds(5)) { !ben.app.questions.isEmpty })
        network.act(ben) { node in
            _ = try? node.accept(ben.app.questions[0], into: Self.group, with: Self.terms, at: network.now)
        }
        ben.app.terms = Self.terms
        // Nobody hears that the link is lost, until its time is over.
        for connection in network.connections(anna, ben) { network.silence(connection) }
        for other in [anna, ben] {
            Self.invite(network, cleo, other)
            network.run(for: .seconds(5))
        }
        #expect(anna.node.home(of: Self.group) == ben.node.home(of: Self.group))
        #expect(anna.node.openLinkCount(to: ben.key, in: Self.group) == 0)
        network.run(for: .seconds(90))
        Self.expectOneGroup(network, network.hosts, "after the link has failed")
    }

    @Test("A member whose link is replaced in another session departs once, and is connected anew after that")
    func replacedElsewhere() throws {
        let network = try Self.strangers(2, seed: 1)
        let (anna, ben) = (network.hosts[1], network.hosts[0])
        // Their charters differ, so the two sessions stay apart.
        let sessions = try [CharterParameters(maximumMembers: 20), CharterParameters()].map { parameters in
            try #require(network.found(anna, parameters))
        }
        network.connect(anna, to: ben, inviting: sessions[0])
        network.run(for: .seconds(5))
        for connection in network.connections(anna, ben) {
            network.cut(connection, noticedBy: connection.side(of: anna))
        }
        network.connect(anna, to: ben, inviting: sessions[1])
        network.run(for: .seconds(10))
        #expect(ben.app.connections(of: anna.key) == 1 && ben.app.departures(of: anna.key) == [])
        #expect(ben.app.shown[anna.key] == sessions[1])
        for connection in network.connections(anna, ben) { network.cut(connection) }
        network.run(for: .seconds(10))
        #expect(ben.app.departures(of: anna.key) == [.lost] && ben.app.connections(of: anna.key) == 2)
    }

    @Test("A host that leaves says so, after what it sent before, in all sessions of its group (R14.11-9)")
    func lastWords() throws {
        let network = try Self.strangers(3, seed: 1)
        let (anna, others) = (network.hosts[0], network.hosts.dropFirst())
        // Their charters differ, so the two sessions stay apart.
        let sessions = try [CharterParameters(maximumMembers: 20), CharterParameters()].map { parameters in
            try #require(network.found(anna, parameters))
        }
        for (session, other) in zip(sessions, others) {
            network.connect(anna, to: other, inviting: session)
            network.run(for: .seconds(5))
        }
        network.leave(anna, sessions[0], afterSending: [7], alsoIn: [sessions[1]])
        network.run(for: .seconds(5))
        for other in others {
            #expect(other.app.received[anna.key] == [[7]] && other.app.departures(of: anna.key) == [.left])
        }
        #expect(network.faults == [])
    }
}
