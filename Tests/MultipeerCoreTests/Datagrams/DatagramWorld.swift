import MultipeerCrypto
import MultipeerTesting
import MultipeerWire

@testable import MultipeerCore

/// Two open links with their paths, and a network between them that may lose, double, delay and reorder packets. Time is virtual.
struct DatagramWorld {
    /// The UDP ports of both at first.
    static let (firstPort, responderPort): (UInt16, UInt16) = (50_002, 50_001)

    private struct Flying {
        let due: Instant
        /// The initiator's port that it goes to; nil for one to the responder.
        let toInitiator: UInt16?
        let bytes: [UInt8]
    }

    /// What the network does with one packet in a thousand.
    struct Network {
        var lost = 0
        var doubled = 0
        /// Greatest delay.
        var delay = 1
    }

    var initiator: DatagramPath
    var responder: DatagramPath
    var network = Network()
    /// The port that the responder sees of the initiator. Whoever sends to an earlier one reaches nobody.
    var initiatorPort = Self.firstPort
    private(set) var now: Instant
    private var flying: [Flying] = []
    private var random: SeededRandomSource
    /// Messages that have come to the initiator, and to the responder.
    private(set) var came: (initiator: [[UInt8]], responder: [[UInt8]]) = ([], [])
    /// How many packets have gone.
    private(set) var packetCount = 0
    /// Whether the apps take what comes.
    var appsTake = true

    init(seed: UInt64, suite: Suite = .chaChaPoly, budget: DatagramBudget = .ofProcess()) throws {
        let pair = try Self.agreedPair(suite)
        random = SeededRandomSource(seed: seed)
        now = pair.now
        guard
            let first = try pair.initiator.link.makeDatagramPath(
                random: SeededRandomSource(seed: seed &+ 1), budget: budget, at: now),
            let second = try pair.responder.link.makeDatagramPath(
                random: SeededRandomSource(seed: seed &+ 2), budget: .ofProcess(), at: now)
        else { throw CryptoFailure.malformedKey }
        (initiator, responder) = (first, second)
        settle()
    }

    /// Two links whose DATAGRAMS have gone both ways.
    static func agreedPair(_ suite: Suite) throws -> LinkPair {
        let terms = SessionTerms(encryption: .required)
        var pair = try Peers.pair(
            suites: [suite], invitation: OutgoingInvitation(terms: terms), initiatorScript: .init(terms: terms),
            responderScript: .init(terms: terms), adjustInitiator: { $0.offersDatagrams = true },
            adjustResponder: { $0.offersDatagrams = true })
        pair.run()
        pair.initiator.link.takeDatagrams(at: Self.firstPort, now: pair.now)
        pair.responder.link.takeDatagrams(at: Self.responderPort, now: pair.now)
        pair.initiator.link.useDatagrams(at: pair.now)
        pair.run()
        return pair
    }

    // MARK: The network

    private mutating func draw(_ bound: Int) -> Int {
        random.bytes(4).reduce(0) { value, byte in value << 8 | Int(byte) } % max(bound, 1)
    }

    private mutating func fly(_ bytes: [UInt8], toInitiator: UInt16? = nil) {
        packetCount += 1
        if draw(1_000) < network.lost { return }
        for _ in 0...(draw(1_000) < network.doubled ? 1 : 0) {
            let due = now.advanced(by: .milliseconds(1 + draw(network.delay)))
            flying.append(Flying(due: due, toInitiator: toInitiator, bytes: bytes))
        }
    }

    /// Sends what both have to send, and takes the messages that have come.
    private mutating func settle() {
        while let packet = initiator.nextPacket() { fly(packet.bytes) }
        while let packet = responder.nextPacket() { fly(packet.bytes, toInitiator: packet.port) }
        while let message = initiator.nextMessage() {
            came.initiator.append(message)
            if appsTake { initiator.release(1, bytes: message.count) }
        }
        while let message = responder.nextMessage() {
            came.responder.append(message)
            if appsTake { responder.release(1, bytes: message.count) }
        }
    }

    /// Lets time pass.
    mutating func advance(by duration: Duration) {
        let end = now.advanced(by: duration)
        while true {
            let packet = flying.indices.min { flying[$0].due < flying[$1].due }
            let deadlines = [initiator.deadline(at: now), responder.deadline(at: now), packet.map { flying[$0].due }]
            guard let next = deadlines.compactMap({ $0 }).min(), next <= end else { break }
            now = max(now, next)
            if let packet, flying[packet].due <= now {
                let arrived = flying.remove(at: packet)
                if arrived.toInitiator == nil {
                    responder.receive(arrived.bytes.span, from: initiatorPort, at: now)
                } else if arrived.toInitiator == initiatorPort {
                    initiator.receive(arrived.bytes.span, from: Self.responderPort, at: now)
                }
            }
            initiator.timeout(at: now)
            responder.timeout(at: now)
            settle()
        }
        now = end
    }

    mutating func send(_ message: [UInt8], fromInitiator: Bool = true) -> DatagramOutcome {
        let outcome = fromInitiator ? initiator.send(message, at: now) : responder.send(message, at: now)
        settle()
        return outcome
    }

    /// Whether both directions hold.
    var holds: Bool { initiator.holds(at: now) && responder.holds(at: now) }
}
