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

    @Test("Both invite to new sessions at once: one session, one link, nobody asked (R8.7-1, R8.6-3)")
    func crossing() throws {
        for seed in 1...20 as ClosedRange<UInt64> {
            let network = try Self.strangers(seed: seed)
            let (anna, ben) = (network.hosts[0], network.hosts[1])
            network.connect(anna, to: ben, expects: seed % 2 == 0)
            network.run(for: .milliseconds(Int64(seed % 5) * 7))
            network.connect(ben, to: anna, expects: seed % 3 == 0)
            network.run(for: .seconds(30))
            let sessions = anna.sessions
            #expect(sessions == ben.sessions && sessions.count == 1, "seed \(seed)")
            let session = try #require(sessions.first)
            Networks.expectWhole(network, session)
            for (host, other) in [(anna, ben), (ben, anna)] {
                #expect(host.app.connections(of: other.key) == 1, "seed \(seed)")
                // A peer that hears first that its INVITE does not win has no other link yet (SPEC §14.9).
                #expect(host.app.departures(of: other.key).allSatisfy { $0 == .lost }, "seed \(seed)")
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

    @Test("The link that opens last is the one that both keep, and no departure is reported (R8.7-3)")
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

    @Test("Any timing of dials, latency and lost links leaves one link, the same for both (R8.7-1 to R8.7-6)")
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
