@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// A script of a path while it is written: the implementation plays its part, and the peer sends any packets.
final class DatagramScript {
    /// The port of the responder, and one of the initiator.
    static let (responderPort, initiatorPort) = (50_001, 50_002)

    let samples: Samples
    let role: LinkRole
    let params: JSONValue
    private let path: ScriptDatagrams
    private let runner: DatagramRunner
    private(set) var steps: [JSONValue] = []
    /// The last thing that was sent and reported.
    private(set) var heard: JSONValue = [:]
    /// The counter of the peer's next packet.
    var counter: UInt64 = 0
    /// The last challenge of the implementation.
    private(set) var challenge: [UInt8] = []

    /// How many milliseconds have passed.
    private(set) var now = 0
    private let suite: Suite

    init(_ role: LinkRole, suite: Suite = .chaChaPoly, maximumMessage: Int = 4_096, samples: Samples) throws {
        (self.role, self.suite, self.samples) = (role, suite, samples)
        var params: [String: JSONValue] = [
            "role": .string(role.name), "suite": .integer(Int(suite.rawValue)),
            "exporterSecret": .hex(samples.bytes32("exporter secret of datagrams")),
            "maximumMessage": .integer(maximumMessage), "peerMaximum": 1_000,
            "challenges": .array((1...64).map { .hex(samples.bytes(8, "challenge \($0)")) }),
        ]
        if role == .initiator { params["port"] = .integer(Self.responderPort) }
        self.params = .object(params)
        path = try ScriptDatagrams(params: Arguments(self.params, "params"), crypto: samples.crypto)
        runner = DatagramRunner(crypto: samples.crypto)
    }

    /// The peer's port, if it has not changed.
    var port: Int { role == .initiator ? Self.responderPort : Self.initiatorPort }

    // MARK: Steps

    private func take(_ step: [String: JSONValue]) throws {
        try path.take(Arguments(.object(step), "step"))
        steps.append(.object(step))
    }

    @discardableResult
    func hear() throws -> DatagramScript {
        heard = try runner.shown(path.poll(), params)
        steps.append(heard)
        for sent in heard["sends"]?.elements ?? [] {
            if let text = sent["challenge"]?.text, text != "0000000000000000" {
                challenge = Hexadecimal.decode(text) ?? []
            }
        }
        return self
    }

    @discardableResult
    func clock(_ milliseconds: Int) throws -> DatagramScript {
        try take(["actor": "clock", "advance": .integer(milliseconds)])
        now += milliseconds
        return try hear()
    }

    @discardableResult
    func sends(_ message: [UInt8], times: Int? = nil) throws -> DatagramScript {
        var step: [String: JSONValue] = ["actor": "app", "do": "send", "message": .hex(message)]
        if let times { step["times"] = .integer(times) }
        try take(step)
        return try hear()
    }

    @discardableResult
    func takes(_ count: Int) throws -> DatagramScript {
        try take(["actor": "app", "do": "take", "messages": .integer(count)])
        return try hear()
    }

    /// A message goes or comes over the link.
    @discardableResult
    func usesLink() throws -> DatagramScript {
        try take(["actor": "link", "message": true])
        return try hear()
    }

    @discardableResult
    func closes() throws -> DatagramScript {
        try take(["actor": "link", "closing": true])
        return try hear()
    }

    // MARK: The peer

    /// A packet as the peer seals it.
    func packet(
        _ kind: DatagramKind, _ contents: [UInt8], counter: UInt64? = nil, by sender: LinkRole? = nil
    ) throws -> [UInt8] {
        let used = counter ?? self.counter
        if counter == nil { self.counter += 1 }
        let crypto = samples.crypto.provider
        let secret = samples.bytes32("exporter secret of datagrams")
        return try DatagramAccess.seal(
            by: sender ?? role.peer, suite: suite,
            exporterSecret: try crypto.secrets.makeSecret(copying: secret.span), kind: kind, contents: contents,
            counter: used, crypto: crypto
        ).packet
    }

    /// Bytes that come from the peer's host.
    @discardableResult
    func peer(bytes: [UInt8], port: Int? = nil) throws -> DatagramScript {
        try take(["actor": "peer", "port": .integer(port ?? self.port), "packet": .hex(bytes)])
        return try hear()
    }

    @discardableResult
    func peer(message: [UInt8], counter: UInt64? = nil, port: Int? = nil) throws -> DatagramScript {
        try peer(bytes: try packet(.message, message, counter: counter), port: port)
    }

    /// - Parameters:
    ///   - asks: The challenge of the peer; nil for none.
    ///   - answers: What it answers; nil for nothing.
    @discardableResult
    func peer(asks: [UInt8]?, answers: [UInt8]? = nil, port: Int? = nil) throws -> DatagramScript {
        let zero = [UInt8](repeating: 0, count: 8)
        let contents = (asks ?? zero) + (answers ?? zero) + [UInt8](repeating: 0, count: 1_151)
        return try peer(bytes: try packet(.probe, contents), port: port)
    }

    @discardableResult
    func peer(reports greatest: UInt64, _ received: UInt64, delay: UInt32 = 0) throws -> DatagramScript {
        try peer(
            bytes: try packet(
                .report, DatagramReport(greatest: greatest, received: received, delay: delay).bytes))
    }

    /// A challenge of the peer.
    func peersChallenge(_ number: Int = 1) -> [UInt8] { samples.bytes(8, "challenge of the peer \(number)") }

    /// Both directions of the path hold.
    @discardableResult
    func proved() throws -> DatagramScript {
        switch role {
        case .initiator:
            try hear()
            try peer(asks: peersChallenge(), answers: challenge)
        case .responder:
            try peer(asks: peersChallenge())
            try peer(asks: nil, answers: challenge)
        }
        return self
    }
}
