import MultipeerCore
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("The peer that was connected to resumes, too, where its member lists an address, SPEC §13.9")
struct ListedAddressTests {
    /// Two hosts, of which the first has connected to the second.
    private static func pair(
        seed: UInt64, latency: ClosedRange<Int> = 1...40, reversed: Bool
    ) throws -> (network: Simulator, session: SessionID, first: SimulatedHost, second: SimulatedHost) {
        var options = Simulator.Options()
        options.latency = latency
        let (network, session) = try Networks.session(of: 2, seed: seed, reversed: reversed, options: options) {
            $0.grace = .seconds(60)
        }
        return (network, session, network.hosts[0], network.hosts[1])
    }

    /// Cuts the connection of both.
    private static func cut(
        _ network: Simulator, _ one: SimulatedHost, _ other: SimulatedHost, noticedBy host: SimulatedHost?
    ) {
        for connection in network.connections(one, other) {
            if let host {
                network.cut(connection, noticedBy: connection.side(of: host))
            } else {
                network.cut(connection)
            }
        }
    }

    @Test(
        "Only the peer that was connected to has noticed: it dials, and the other one sees no loss",
        arguments: [false, true])
    func alone(reversed: Bool) throws {
        let (network, session, first, second) = try Self.pair(seed: 1, reversed: reversed)
        Self.cut(network, first, second, noticedBy: second)
        network.send([1], from: first, in: session)
        #expect(second.state(of: first, in: session) == .reconnecting)
        network.run(for: .seconds(2))
        Networks.expectWhole(network, session)
        #expect(second.app.received[first.key] == [[1]])
        #expect(second.app.events.contains { if case .reconnecting = $0 { true } else { false } })
        for (host, other) in [(first, second), (second, first)] {
            #expect(host.app.departures(of: other.key) == [] && host.app.connections(of: other.key) == 1)
        }
    }

    @Test("Both dial at once: nothing is asked for that is open already", arguments: [false, true])
    func crossing(reversed: Bool) throws {
        for seed in 1...60 as ClosedRange<UInt64> {
            // It takes about as long to shake hands as the second one waits for the first.
            let (network, session, first, second) = try Self.pair(seed: seed, latency: 100...220, reversed: reversed)
            for number in 0..<3 as Range<UInt8> {
                Self.cut(network, first, second, noticedBy: seed % 3 == 0 ? second : nil)
                for host in [first, second] { network.send([number], from: host, in: session) }
                network.run(for: .seconds(20))
            }
            Networks.expectWhole(network, session)
            for (host, other) in [(first, second), (second, first)] {
                #expect(host.app.received[other.key] == [[0], [1], [2]], "seed \(seed)")
                #expect(host.app.departures(of: other.key) == [], "seed \(seed)")
            }
        }
    }

    /// Two hosts that have lost each other, and that nobody reaches.
    private static func apart(reversed: Bool) throws -> (
        network: Simulator, first: SimulatedHost, second: SimulatedHost
    ) {
        let (network, _, first, second) = try Self.pair(seed: 1, reversed: reversed)
        for host in [first, second] { host.isReachable = false }
        Self.cut(network, first, second, noticedBy: nil)
        return (network, first, second)
    }

    @Test(
        "Where the first attempt leads nowhere, others follow every 15 s: one leads to the peer once it is there again",
        arguments: [false, true])
    func later(reversed: Bool) throws {
        let (network, first, second) = try Self.apart(reversed: reversed)
        let session = try #require(second.sessions.first)
        network.send([1], from: second, in: session)
        network.run(for: .seconds(20))
        #expect(second.state(of: first, in: session) == .reconnecting)
        // The second one has another address now, which only it knows.
        first.isReachable = true
        network.run(for: .seconds(15))
        Networks.expectWhole(network, session)
        #expect(first.app.received[second.key] == [[1]])
        #expect(first.app.departures(of: second.key) == [] && second.app.departures(of: first.key) == [])
    }

    @Test("A listed address is tried four times a minute while an association waits, and then once, R13.9-10, R14.8-5")
    func rate() throws {
        let (network, first, second) = try Self.apart(reversed: false)
        let before = second.dials[first.id, default: 0]
        network.run(for: .seconds(60))
        #expect(second.dials[first.id, default: 0] - before == 4)
        let lost = second.dials[first.id, default: 0]
        network.run(for: .seconds(60))
        #expect(second.app.departures(of: first.key) == [.lost])
        #expect(second.dials[first.id, default: 0] - lost <= 1)
    }

    @Test("A member that has listed no address is waited for")
    func unlisted() throws {
        let network = Simulator(seed: 1)
        let seeds = try Networks.seeds(2)
        let first = try Networks.add(seeds[0], to: network, listens: false) { $0.grace = .seconds(60) }
        let second = try Networks.add(seeds[1], to: network) { $0.grace = .seconds(60) }
        let session = try #require(network.found(first))
        network.connect(first, to: second, inviting: session)
        network.run(for: .seconds(5))
        Self.cut(network, first, second, noticedBy: second)
        network.run(for: .seconds(10))
        #expect(second.state(of: first, in: session) == .reconnecting)
        network.run(for: .seconds(20))
        // The first one has found out by silence.
        Networks.expectWhole(network, session)
        #expect(second.app.departures(of: first.key) == [])
    }
}
