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
