import MultipeerCore
import MultipeerCrypto
import MultipeerGnuTLS
import MultipeerSodium
import MultipeerTesting
import MultipeerWire

/// A session that grows in a simulated network: one member invites all others, one after the other. There is no time in it, and
/// the same program gives the same numbers.
public struct RosterGrowth {
    /// What one join has cost, from the invitation until all members have links to the newcomer and the same roster.
    public struct Join: Sendable {
        /// How many members there are now.
        public let members: Int
        /// The frames of SPEC §14.5 that all members together have sent, and their bytes, with type and length.
        public let frames: [FrameType: Traffic]
        /// All bytes that connections have carried, handshakes and records' own included.
        public let wireBytes: Int
        /// In the time of the network, in milliseconds.
        public let milliseconds: Int
    }

    /// How much of something there was.
    public struct Traffic: Sendable {
        public internal(set) var count = 0
        public internal(set) var bytes = 0

        public init() {}
    }

    /// How long everything takes from one member to another.
    public static let latency = 10
    /// What is counted.
    public static let counted: [FrameType] = [.admit, .roster, .digest, .summary, .want]

    private let network: Simulator
    private let session: SessionID
    private let peers: Peers
    private let seen = Seen()

    fileprivate final class Seen {
        var frames: [FrameType: Traffic] = [:]
        var isWhole = true
    }

    /// Begins with the founder alone.
    public init(_ peers: Peers) throws {
        self.peers = peers
        var options = Simulator.Options()
        options.latency = Self.latency...Self.latency
        network = Simulator(seed: 1, options: options)
        let founder = try Self.addHost(to: network, peers)
        guard let session = network.found(founder) else { throw WorkloadFailure.wrongResult }
        self.session = session
        network.onTrace = { [seen] _, entry in seen.note(entry) }
    }

    /// The founder invites one more.
    public func join() throws -> Join {
        let newcomer = try Self.addHost(to: network, peers)
        let (start, wireBytes) = (network.now, network.sentBytes)
        seen.frames = [:]
        network.connect(network.hosts[0], to: newcomer, inviting: session)
        let isWhole = network.run(until: .seconds(60), step: .milliseconds(1)) { hasJoined(newcomer) }
        guard isWhole, seen.isWhole, network.faults.isEmpty else { throw WorkloadFailure.wrongResult }
        return Join(
            members: network.hosts.count, frames: seen.frames, wireBytes: Int(network.sentBytes - wireBytes),
            milliseconds: Int((network.now.nanoseconds - start.nanoseconds) / 1_000_000))
    }

    private func hasJoined(_ newcomer: SimulatedHost) -> Bool {
        for host in network.hosts where host !== newcomer {
            guard host.link(to: newcomer, in: session) != nil, newcomer.link(to: host, in: session) != nil else {
                return false
            }
        }
        let digest = newcomer.digest(of: session)
        return network.hosts.allSatisfy { $0.digest(of: session) == digest }
    }

    private static func addHost(to network: Simulator, _ peers: Peers) throws -> SimulatedHost {
        let number = network.hosts.count + 1
        var random: any RandomSource = SeededRandomSource(seed: UInt64(number))
        var link = LinkConfiguration(
            identity: try SodiumIdentity(random: &random, provider: peers.sodium),
            displayName: try DisplayName("Member \(number)"), crypto: peers.crypto,
            bindingVerifier: GnuTLSBindingVerifier(strictEd25519: peers.crypto.signatures))
        link.tracesRecords = true
        return network.add(
            "Member \(number)",
            NodeConfiguration(link: link, memberTerms: SessionTerms(encryption: .optional)))
    }
}

extension RosterGrowth.Seen {
    /// Counts the frames of a record once, where it is sent.
    fileprivate func note(_ entry: TraceEntry) {
        guard entry.direction == .sent, entry.counter != nil else { return }
        var cursor = FrameCursor(entry.plaintext.span)
        do {
            while let frame = try cursor.next() {
                guard let type = frame.type else { continue }
                frames[type, default: RosterGrowth.Traffic()].count += 1
                frames[type, default: RosterGrowth.Traffic()].bytes += frame.encoded.count
            }
        } catch {
            isWhole = false
        }
    }
}
