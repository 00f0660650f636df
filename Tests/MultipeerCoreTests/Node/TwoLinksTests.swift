import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Several links between two peers, SPEC §8.7")
struct TwoLinksTests {
    private static let terms = SessionTerms(encryption: .optional)

    /// Two strangers, the one with the lesser key first.
    private static func strangers(seed: UInt64 = 1, latency: ClosedRange<Int> = 1...40) throws -> Simulator {
        var options = Simulator.Options()
        options.latency = latency
        let network = Simulator(seed: seed, options: options)
        for seed in try Networks.seeds(2) { try Networks.add(seed, to: network) }
        return network
    }

    private static let group = GroupNumber(rawValue: 1)

    /// One host connects and invites, unless a link to the other one is being made already (R8.7-2).
    private static func invite(_ network: Simulator, _ host: SimulatedHost, _ other: SimulatedHost, expects: Bool) {
        guard let link = network.connect(host, to: other, isInviting: false, expects: expects) else { return }
        network.act(host) { node in
            _ = try? node.invite(on: link, in: group, terms: terms, at: network.now)
        }
    }

    @Test("Both invite to new sessions at once, and both say yes: one session, one link (R8.7-3, R8.7-8)")
    func crossing() throws {
        for seed in 1...40 as ClosedRange<UInt64> {
            let network = try Self.strangers(seed: seed)
            let (anna, ben) = (network.hosts[0], network.hosts[1])
            for host in network.hosts { host.group = Self.group }
            Self.invite(network, anna, ben, expects: seed % 2 == 0)
            network.run(for: .milliseconds(Int64(seed % 5) * 7))
            Self.invite(network, ben, anna, expects: seed % 3 == 0)
            network.run(for: .seconds(30))
            let sessions = anna.sessions
            #expect(sessions == ben.sessions && sessions.count == 1, "seed \(seed)")
            let session = try #require(sessions.first)
            Networks.expectWhole(network, session)
            for (host, other) in [(anna, ben), (ben, anna)] {
                #expect(host.app.connections(of: other.key) == 1, "seed \(seed)")
                #expect(host.app.departures(of: other.key).isEmpty, "seed \(seed)")
            }
        }
    }

    @Test("A peer that leaves at once, while another link to it is under way, has departed for the app (SPEC §14.9)")
    func leavesAtOnce() throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            let network = try Self.strangers(seed: seed, latency: 1...(seed % 2 == 0 ? 40 : 400))
            let hosts = seed % 4 < 2 ? network.hosts : network.hosts.reversed()
            let (anna, ben) = (hosts[0], hosts[1])
            for host in network.hosts { host.group = Self.group }
            Self.invite(network, anna, ben, expects: true)
            network.run(for: .milliseconds(Int64(seed % 7) * 5))
            Self.invite(network, ben, anna, expects: true)
            let isConnected = network.run(until: .seconds(30), step: .milliseconds(1)) {
                anna.app.shown[ben.key] != nil && ben.app.shown[anna.key] != nil
            }
            #expect(isConnected, "seed \(seed)")
            let session = try #require(anna.app.shown[ben.key])
            // A peer that was not admitted yet has no entry that says so, and its other link may end as well, or last.
            let isMember = anna.node.isMember(of: session)
            anna.app.terms = nil
            try network.act(anna) { node throws(NodeRequestError) in try node.leave(session, at: network.now) }
            network.run(for: .seconds(40))
            #expect(ben.app.shown.isEmpty && anna.app.shown.isEmpty, "seed \(seed)")
            let departures = ben.app.departures(of: anna.key)
            #expect(isMember ? departures.first == .left : !departures.isEmpty, "seed \(seed): \(departures)")
        }
    }

    @Test("Both invite, and both say no: they are never linked (R8.2-10)")
    func bothDecline() throws {
        for seed in 1...200 as ClosedRange<UInt64> {
            let network = try Self.strangers(seed: seed)
            let (anna, ben) = (network.hosts[0], network.hosts[1])
            for host in network.hosts {
                host.group = Self.group
                host.app.declines = true
            }
            network.connect(anna, to: ben, expects: seed % 2 == 0)
            network.run(for: .milliseconds(Int64(seed % 7) * 5))
            network.connect(ben, to: anna, expects: seed % 3 == 0)
            network.run(for: .seconds(40))
            for (host, other) in [(anna, ben), (ben, anna)] {
                #expect(host.app.connections(of: other.key) == 0 && host.sessions.isEmpty, "seed \(seed)")
                #expect(host.node.openLinkCount(to: other.key, in: Self.group) == 0, "seed \(seed)")
            }
        }
    }

    @Test("One says no, and the other one yes: its yes counts", arguments: [0, 1])
    func oneDeclines(decliner: Int) throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let network = try Self.strangers(seed: seed)
            let (anna, ben) = (network.hosts[0], network.hosts[1])
            for host in network.hosts { host.group = Self.group }
            network.hosts[decliner].app.declines = true
            Self.invite(network, anna, ben, expects: seed % 2 == 0)
            Self.invite(network, ben, anna, expects: seed % 3 == 0)
            network.run(for: .seconds(30))
            #expect(anna.node.openLinkCount(to: ben.key, in: Self.group) == 1, "seed \(seed)")
            #expect(anna.sessions == ben.sessions && anna.sessions.count == 1, "seed \(seed)")
        }
    }

    @Test(
        "Apps that invite at any time, answer or not, and lose links and programs", arguments: 0..<10 as Range<UInt64>)
    func encounters(round: UInt64) throws {
        for seed in (1...30).map({ round * 30 + $0 }) {
            let network = Simulator(seed: seed)
            for seed in try Networks.seeds(seed % 3 == 0 ? 3 : 2) { try Networks.add(seed, to: network) }
            var encounters = Encounters(network, SeededRandomSource(seed: seed &* 17))
            for _ in 0..<40 { encounters.step() }
            encounters.settle()
            #expect(encounters.complaints.isEmpty, "seed \(seed): \(encounters.complaints)")
        }
    }

    @Test("The same, with invitations that wait for admission, and with calls", arguments: 0..<10 as Range<UInt64>)
    func patient(round: UInt64) throws {
        for seed in (1...30).map({ round * 30 + $0 }) {
            let network = Simulator(seed: seed)
            for seed in try Networks.seeds(seed % 3 == 0 ? 2 : 3) { try Networks.add(seed, to: network) }
            let patience = seed % 3 == 1 ? InvitationPatience.forAdmission : .forConnection
            var encounters = Encounters(network, SeededRandomSource(seed: seed &* 17), patience: patience)
            for _ in 0..<40 { encounters.step() }
            encounters.settle()
            #expect(encounters.complaints.isEmpty, "seed \(seed): \(encounters.complaints)")
        }
    }

    @Test("The same where lost links come back (SPEC §13.9)", arguments: 0..<10 as Range<UInt64>)
    func withGrace(round: UInt64) throws {
        for seed in (1...30).map({ round * 30 + $0 }) {
            let network = Simulator(seed: seed)
            for seed in try Networks.seeds(seed % 3 == 0 ? 2 : 3) {
                try Networks.add(seed, to: network) { $0.grace = .seconds(60) }
            }
            var encounters = Encounters(network, SeededRandomSource(seed: seed &* 17), patience: .forConnection)
            for _ in 0..<40 { encounters.step() }
            encounters.settle()
            #expect(encounters.complaints.isEmpty, "seed \(seed): \(encounters.complaints)")
        }
    }

    @Test("Members that have parted, and invite each other again at once, get one link")
    func again() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let network = try Self.strangers(seed: seed)
            let (anna, ben) = (network.hosts[Int(seed % 2)], network.hosts[1 - Int(seed % 2)])
            for host in network.hosts { host.group = Self.group }
            let session = try #require(network.found(anna))
            network.connect(anna, to: ben, inviting: session)
            network.run(for: .seconds(5))
            for round in 1...8 {
                network.act(anna) { node in node.disconnect(ben.key, in: session, at: network.now) }
                network.run(for: .seconds(1))
                for (host, other) in [(anna, ben), (ben, anna)] {
                    guard let link = network.connect(host, to: other, isInviting: false, expects: round % 2 == 0) else {
                        continue
                    }
                    network.act(host) { node in
                        _ = try? node.invite(on: link, to: session, terms: Self.terms, at: network.now)
                    }
                    network.run(for: .milliseconds(Int64(round) * 5))
                }
                let isLinked = network.run(until: .seconds(20)) {
                    anna.node.openLinkCount(to: ben.key, in: Self.group) == 1
                        && ben.node.openLinkCount(to: anna.key, in: Self.group) == 1
                }
                #expect(isLinked, "seed \(seed), round \(round)")
                network.run(for: .seconds(3))
                #expect(anna.node.openLinkCount(to: ben.key, in: Self.group) == 1, "seed \(seed), round \(round)")
            }
            // An app that withdraws nothing hears of nothing withdrawn: it hears why its invitation could not go out.
            for app in network.hosts.map(\.app) {
                for (link, end) in app.closed where !app.notInvited.contains(link) {
                    guard case .failed(let failure) = end else { continue }
                    #expect(failure.cause != .invitation(.withdrawn), "seed \(seed): \(failure)")
                }
            }
        }
    }

    @Test("A peer that invites twice to one session is refused by its own node (R8.7-2)")
    func twice() throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        #expect(throws: NodeRequestError.alreadyLinked) {
            try network.act(anna) { node throws(NodeRequestError) in
                let link = node.opened(expecting: ben.key, at: network.now)
                try node.invite(on: link, to: session, terms: Self.terms, at: network.now)
            }
        }
    }

    @Test("A peer that dials anew finds the old link silent, and no departure is reported (R8.7-7)")
    func newerLink() throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        network.run(for: .seconds(61))
        // Only Ben finds out, and dials: Anna still believes in the old link.
        let old = try #require(network.connections(anna, ben).first)
        network.cut(old, noticedBy: old.side(of: ben))
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session)
        #expect(anna.app.departures(of: ben.key).isEmpty)
        #expect(anna.app.events.last == .connected(ben.key, isReplacement: true))
        #expect(ben.app.departures(of: anna.key) == [.lost])
    }

    @Test("Any timing of dials, latency and lost links leaves one link, the same for both (R8.7-2 to R8.7-8)")
    func anyTiming() throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            let network = try Self.strangers(seed: seed, latency: 1...(seed % 3 == 0 ? 2_000 : 200))
            let (anna, ben) = (network.hosts[0], network.hosts[1])
            let session = try #require(network.found(anna))
            network.connect(anna, to: ben, inviting: session)
            network.run(for: .seconds(70))
            var dice = network.dice
            for _ in 0..<12 {
                let hosts = dice.next(below: 2) == 0 ? [anna, ben] : [ben, anna]
                switch dice.next(below: 4) {
                case 0: for connection in network.connections(anna, ben) { network.cut(connection) }
                case 1: for connection in network.connections(anna, ben) { network.cut(connection, noticedBy: 0) }
                case 2: for connection in network.connections(anna, ben) { network.cut(connection, noticedBy: 1) }
                default:
                    network.act(hosts[0]) { node in
                        _ = try? node.dial(hosts[1].key, in: session, at: network.now)
                    }
                }
                network.run(for: .milliseconds(Int64(dice.next(below: 40_000))))
            }
            // As long as a round that failed lets wait, and a little longer.
            let isWhole = network.run(until: .seconds(1_500), step: .seconds(10)) {
                anna.state(of: ben, in: session) == .connected && ben.state(of: anna, in: session) == .connected
            }
            #expect(isWhole, "seed \(seed)")
            network.run(for: .seconds(30))
            Networks.expectWhole(network, session)
            for host in network.hosts {
                #expect(!host.app.events.contains { if case .departed(_, .misbehaved) = $0 { true } else { false } })
            }
        }
    }
}
