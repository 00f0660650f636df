import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

/// Simulated networks with real cryptography.
enum Networks {
    /// A host with the identity of a seed.
    @discardableResult
    static func add(
        _ seed: UInt64, to network: Simulator, listens: Bool = true,
        adjust: (inout NodeConfiguration) -> Void = { _ in }
    ) throws -> SimulatedHost {
        var link = try Peers.configuration("Host \(seed)", seed: seed)
        link.timeouts = LinkTimeouts()
        var configuration = NodeConfiguration(link: link, memberTerms: SessionTerms(encryption: .optional))
        adjust(&configuration)
        return network.add("Host \(seed)", configuration, listens: listens)
    }

    /// Seeds in the order of their identity keys.
    static func seeds(_ count: Int) throws -> [UInt64] {
        try (1...UInt64(count)).sorted { try Peers.key($0) < Peers.key($1) }
    }

    /// A session of `count` members, in which the first one has invited all others. In the order of their keys, unless
    /// `reversed`.
    static func session(
        of count: Int, seed: UInt64 = 1, reversed: Bool = false, options: Simulator.Options = .init(),
        parameters: CharterParameters = CharterParameters(), adjust: (inout NodeConfiguration) -> Void = { _ in }
    ) throws -> (network: Simulator, session: SessionID) {
        let network = Simulator(seed: seed, options: options)
        let ordered = try seeds(count)
        for seed in reversed ? ordered.reversed() : ordered { try add(seed, to: network, adjust: adjust) }
        let session = try #require(network.found(network.hosts[0], parameters))
        for host in network.hosts.dropFirst() { network.connect(network.hosts[0], to: host, inviting: session) }
        network.run(for: .seconds(5))
        expectWhole(network, session)
        return (network, session)
    }

    /// Every host is linked to every other by one link, the same for both, and all rosters are equal.
    static func expectWhole(
        _ network: Simulator, _ session: SessionID, _ hosts: [SimulatedHost]? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let hosts = hosts ?? network.hosts
        for host in hosts {
            for other in hosts where other !== host {
                let state = host.state(of: other, in: session)
                #expect(
                    state == .connected, "\(host.name) to \(other.name), seed \(network.seed)", sourceLocation: location
                )
            }
        }
        for (index, host) in hosts.enumerated() {
            for other in hosts.dropFirst(index + 1) {
                let open = network.connections(host, other).filter { $0.isOpen(in: session) }
                #expect(
                    open.count == 1, "\(host.name) to \(other.name), seed \(network.seed)", sourceLocation: location)
            }
        }
        expectEqualRosters(network, session, hosts, location)
        #expect(network.faults.isEmpty, "seed \(network.seed)", sourceLocation: location)
    }

    static func expectEqualRosters(
        _ network: Simulator, _ session: SessionID, _ hosts: [SimulatedHost]? = nil,
        _ location: SourceLocation = #_sourceLocation
    ) {
        let digests = Set((hosts ?? network.hosts).map { $0.digest(of: session) })
        #expect(digests.count == 1 && digests.first != .some(nil), "seed \(network.seed)", sourceLocation: location)
    }
}
