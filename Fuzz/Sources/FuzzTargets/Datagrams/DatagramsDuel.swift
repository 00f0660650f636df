import FuzzSupport
import MultipeerCrypto
import MultipeerWire

@testable import MultipeerCore

/// A path, a peer that does what the input says, and what must be so.
struct DatagramsDuel {
    private static let ports: [UInt16] = [50_001, 40_000, 40_001, 1_023, 1_024, 5_353, 0, 65_535]
    private static let steps: [Duration] = [
        .milliseconds(1), .milliseconds(20), .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(4),
        .seconds(15),
        .seconds(60), .seconds(300),
    ]
    private static let maximumMessage: UInt64 = 900

    private var path: DatagramPath
    /// The peer's keys, and those of the path for looking at what it sends.
    private var peer: DatagramKeys
    private var own: DatagramKeys
    private let isInitiator: Bool
    private var now = Instant(nanoseconds: 1_000_000_000)

    /// The counter of the peer's next packet, and all that it has sent.
    private var counter: UInt64 = 0
    private var log: [(bytes: [UInt8], port: UInt16)] = []
    /// The messages that may still come, by their counters' order: each once.
    private var sealed: [[UInt8]] = []
    /// The challenges of the path, and to which port each went; and the ports that have answered one.
    private var challenges: [(bytes: UInt64, port: UInt16)] = []
    private var proved: Set<UInt16> = []
    /// The counter of the path's next packet.
    private var expected: UInt64 = 0
    /// The longest packets that went within the last second, and how many of them answer.
    private var probes: [(went: Instant, answers: Bool)] = []
    private var waiting: [Int] = []

    init(_ setting: UInt8) throws {
        isInitiator = setting & 1 == 0
        let suite = setting & 2 == 0 ? Suite.chaChaPoly : .aesGCM
        let crypto = FuzzCrypto.real
        let secret = { try crypto.secrets.makeSecret(copying: [UInt8](repeating: 7, count: 32).span) }
        let role = isInitiator ? LinkRole.initiator : .responder
        let exports = ExportKeys(exporterSecret: try secret(), hashing: crypto.hashing)
        let terms = DatagramPath.Terms(
            role: role, suite: suite, maximumMessage: Self.maximumMessage, peerMaximumMessage: 1_000)
        guard let own = try DatagramKeys(sentBy: role, suite: suite, exports: exports, crypto: crypto),
            let peer = try DatagramKeys(sentBy: role.peer, suite: suite, exports: exports, crypto: crypto),
            let path = try DatagramPath(
                terms, port: isInitiator ? Self.ports[0] : nil, exports: exports, crypto: crypto,
                random: DatagramRandomness(CountedRandomness(), varies: true), budget: .ofProcess(), at: now)
        else { throw OracleFailure("no path") }
        (self.own, self.peer, self.path) = (own, peer, path)
        try look()
    }

    // MARK: Operations

    mutating func perform(_ choices: inout Choices) throws {
        switch choices.int(below: 8) {
        case 0: try receive(raw(&choices), from: port(&choices))
        case 1: try sendMessage(&choices)
        case 2: try sendProbe(&choices)
        case 3: try sendReport(&choices)
        case 4: try pass(choices.pick(Self.steps))
        case 5:
            let length = choices.int(below: 1_300)
            _ = path.send([UInt8](repeating: 1, count: length), at: now)
        case 6:
            let count = min(choices.int(below: 8), waiting.count)
            path.release(count, bytes: waiting.prefix(count).reduce(0, +))
            waiting.removeFirst(count)
        default: try replay(&choices)
        }
        try look()
    }

    private func port(_ choices: inout Choices) -> UInt16 { choices.pick(Self.ports) }

    private func raw(_ choices: inout Choices) -> [UInt8] {
        let length = [33, 53, 100, 1_200, 17, 0, 1_201, 52][choices.int(below: 8)]
        var bytes = DatagramHeader(kind: .message, tag: path.tag, counter: UInt64(choices.byte())).bytes
        bytes[0] = choices.byte()
        bytes += [UInt8](repeating: choices.byte(), count: max(0, length - bytes.count))
        return Array(bytes.prefix(length))
    }

    /// The next counter, or one some way off.
    private mutating func chosenCounter(_ choices: inout Choices) -> UInt64 {
        switch choices.int(below: 6) {
        case 0...2: break
        case 3: counter += UInt64(choices.byte())
        case 4: counter &+= 65_536 + UInt64(choices.byte())
        default: return counter &- UInt64(choices.uint16())
        }
        defer { counter &+= 1 }
        return counter
    }

    private mutating func send(_ kind: DatagramKind, _ contents: [UInt8], _ choices: inout Choices) throws {
        let used = chosenCounter(&choices)
        guard let packet = try peer.seal(kind, contents, counter: used) else { return }
        let port = port(&choices)
        log.append((packet, port))
        try receive(packet, from: port)
    }

    private mutating func sendMessage(_ choices: inout Choices) throws {
        let length = choices.int(below: 256) * 4
        let message = (0..<length).map { UInt8(truncatingIfNeeded: log.count &+ $0) }
        sealed.append(message)
        try send(.message, message, &choices)
    }

    private mutating func sendProbe(_ choices: inout Choices) throws {
        let asks = choices.bool() ? UInt64(choices.byte()) + 1 : 0
        let kind = choices.int(below: 4)
        let back = choices.int(below: 8)
        let answered: UInt64 =
            switch kind {
            case 0: 0
            case 1: challenges.last?.bytes ?? 0
            case 2: challenges.dropLast(back).last?.bytes ?? 0
            default: 99
            }
        let port = Self.ports[choices.int(below: 3)]
        if let known = challenges.last(where: { $0.bytes == answered }), known.port == port || isInitiator {
            // Whether it counts the path decides; that it may, is what a message needs.
            proved.insert(known.port)
        }
        var contents = DatagramProbe(challenge: asks, answered: answered).bytes
        if choices.int(below: 16) == 15 { contents[1_000] = 1 }
        let used = chosenCounter(&choices)
        guard let packet = try peer.seal(.probe, contents, counter: used) else { return }
        log.append((packet, port))
        try receive(packet, from: isInitiator ? Self.ports[0] : port)
    }

    private mutating func sendReport(_ choices: inout Choices) throws {
        let greatest = expected &- 1 &- UInt64(choices.int(below: 8)) &+ UInt64(choices.int(below: 4))
        let received = greatest &+ 1 &- UInt64(choices.int(below: 8)) &+ UInt64(choices.int(below: 3))
        let delay = choices.bool() ? UInt32.max : UInt32(choices.uint16())
        try send(.report, DatagramReport(greatest: greatest, received: received, delay: delay).bytes, &choices)
    }

    /// Somebody on the way sends a packet again, as it was or changed.
    private mutating func replay(_ choices: inout Choices) throws {
        guard !log.isEmpty else { return }
        var (bytes, port) = log[choices.int(below: min(log.count, 256))]
        let place = choices.int(below: 1_200)
        if choices.bool() { bytes[place % bytes.count] ^= 1 << UInt8(choices.int(below: 8)) }
        if choices.bool() { port = Self.ports[choices.int(below: 8)] }
        try receive(bytes, from: port)
    }

    private mutating func receive(_ packet: [UInt8], from port: UInt16) throws {
        path.receive(packet.span, from: port, at: now)
    }

    /// Time passes, and all that is due happens in its order.
    private mutating func pass(_ duration: Duration) throws {
        let end = now.advanced(by: duration)
        var idle = 0
        while let due = path.deadline(at: now), due <= end {
            idle = due > now ? 0 : idle + 1
            try require(idle < 4, "a deadline that stays where it is")
            now = max(now, due)
            path.timeout(at: now)
            try look()
        }
        now = end
    }

    // MARK: What must be so

    private mutating func look() throws {
        while let packet = path.nextPacket() { try judge(packet) }
        while let message = path.nextMessage() {
            guard let index = sealed.firstIndex(of: message) else {
                throw OracleFailure("a message that nobody has sent, or that came twice")
            }
            sealed.remove(at: index)
            try require(!message.isEmpty && message.count <= Self.maximumMessage, "a message of \(message.count) bytes")
            waiting.append(message.count)
        }
        try require(waiting.reduce(0) { $0 + $1 + 64 } <= 65_536, "more than 64 KiB wait for the app")
    }

    private mutating func judge(_ packet: (port: UInt16, bytes: [UInt8])) throws {
        guard let header = DatagramHeader(packet: packet.bytes.span) else {
            throw OracleFailure("a packet that is none")
        }
        try requireEqual(header.counter, expected, "the counter")
        expected += 1
        try require(DatagramExchange.mayReach(packet.port), "a packet to port \(packet.port)")
        try require(!isInitiator || packet.port == Self.ports[0], "a packet of an initiator to another port")
        guard let contents = own.open(packet.bytes.span, counter: header.counter) else {
            throw OracleFailure("a packet that does not open")
        }
        switch header.kind {
        case .message: try require(proved.contains(packet.port), "a message to a port that has proved nothing")
        case .report: break
        case .probe:
            guard let probe = DatagramProbe(contents: contents.span) else {
                throw OracleFailure("a probe that is none")
            }
            try require(probe.challenge != 0 || probe.answered != 0, "a probe that says nothing")
            try judge(probe, to: packet.port)
        }
    }

    private mutating func judge(_ probe: DatagramProbe, to port: UInt16) throws {
        if probe.challenge != 0 {
            try require(!challenges.contains { $0.bytes == probe.challenge }, "a challenge for the second time")
            challenges.append((probe.challenge, port))
        }
        probes.removeAll { now.duration(since: $0.went) >= .seconds(1) }
        probes.append((now, probe.answered != 0))
        try require(probes.count { $0.answers } <= 8, "more than eight answers in a second")
        // Each answer may move the path, which then asks at once and once more within the quarter of a second; and the timer asks.
        try require(probes.count <= 8 + 8 * 2 + 4, "\(probes.count) probes in a second")
    }
}

/// Numbers that count up, so that challenges differ.
private struct CountedRandomness: RandomSource {
    private var next: UInt64 = 0

    mutating func fill(_ bytes: inout MutableSpan<UInt8>) {
        next += 1
        for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: next >> (8 * UInt64(index))) }
    }
}
