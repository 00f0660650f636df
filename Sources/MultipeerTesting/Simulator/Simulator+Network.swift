public import MultipeerCore
public import MultipeerCrypto
import MultipeerDriver
import MultipeerWire

/// Connections, and what becomes of them.
extension Simulator {
    // MARK: Making them

    /// The app of one host connects to another, and invites it if `session` is given, or `isInviting`. Returns the link
    /// of the one that connects; nil if they do not reach each other. A code has to be right before.
    @discardableResult
    public func connect(
        _ host: SimulatedHost, to other: SimulatedHost, inviting session: SessionID? = nil, isInviting: Bool = true,
        expects: Bool = true, code: OneTimeCode? = nil
    ) -> LinkNumber? {
        guard reach(host, other) else { return nil }
        let opened = host.program.driver.opened(
            expecting: expects ? other.key : nil, place: SimulatedHost.address(of: other.id), origin: nil, at: now)
        guard let (link, driver) = opened else { return nil }
        join(host, link, driver, to: other)
        if isInviting {
            attempt("invite", on: host) { (node) throws(NodeRequestError) in
                try node.invite(
                    on: link, to: session, in: host.group, terms: SessionTerms(encryption: .optional), code: code,
                    at: now)
            }
        }
        drain(link, of: host)
        pump(host)
        return link
    }

    /// Whether a connection can be made.
    private func reach(_ host: SimulatedHost, _ other: SimulatedHost) -> Bool {
        host.isUp && other.isUp && host.part == other.part
    }

    /// What a dial leads to: a connection, a refusal, or nothing at all.
    func connect(_ host: SimulatedHost, _ dial: DialNumber, to address: MemberAddress) {
        guard let id = SimulatedHost.id(at: address), id < hosts.count, hosts[id].part == host.part else { return }
        let other = hosts[id]
        guard other.isUp, other.isReachable, other !== host else {
            host.program.driver.failed(dial, at: now)
            return pump(host)
        }
        guard let (link, driver) = host.program.driver.connected(dial, origin: nil, at: now) else { return pump(host) }
        join(host, link, driver, to: other)
        drain(link, of: host)
        pump(host)
    }

    private func join(_ host: SimulatedHost, _ link: LinkNumber, _ driver: LinkDriver, to other: SimulatedHost) {
        let accepted = other.program.driver.accepted(origin: nil, for: other.group, at: now)
        let latency = latency()
        guard let (number, responder) = accepted else {
            faults.append("\(other.name) wants no connection")
            return
        }
        let connection = SimulatedConnection(
            [
                SimulatedConnection.End(host: host, run: host.run, link: link, lastArrival: now),
                SimulatedConnection.End(host: other, run: other.run, link: number, lastArrival: now),
            ], latency: latency)
        host.program.open(driver, link, over: connection, side: 0)
        other.program.open(responder, number, over: connection, side: 1)
        connections.append(connection)
        if connections.count > 2 * hosts.count * hosts.count + 64 {
            connections.removeAll { $0.isCut || $0.ends.allSatisfy { !$0.isAlive } }
        }
        drain(number, of: other)
        pump(other)
    }

    func latency() -> Duration {
        let span = options.latency.upperBound - options.latency.lowerBound + 1
        return .milliseconds(options.latency.lowerBound + dice.next(below: span))
    }

    // MARK: Breaking them

    /// The open and half-open connections between two hosts.
    public func connections(_ one: SimulatedHost, _ other: SimulatedHost) -> [SimulatedConnection] {
        connections.filter { !$0.isCut && $0.joins(one, other) && $0.ends.contains { $0.isAlive } }
    }

    /// All connections that at least one host still uses.
    public var liveConnections: [SimulatedConnection] {
        connections.filter { !$0.isCut && $0.ends.contains { $0.isAlive } }
    }

    /// A connection that both hosts still use, by chance; nil without one.
    public func anyConnection() -> SimulatedConnection? {
        let alive = connections.filter { !$0.isCut && !$0.isSilent && $0.ends.allSatisfy { $0.isAlive } }
        return alive.isEmpty ? nil : alive[dice.next(below: alive.count)]
    }

    /// Both ends find out at once that the connection is gone. What was on its way is lost.
    public func cut(_ connection: SimulatedConnection) {
        guard !connection.isCut else { return }
        connection.isCut = true
        for side in 0...1 { disconnect(side, of: connection) }
    }

    /// One end finds out that the connection is gone; the other one hears nothing any more.
    public func cut(_ connection: SimulatedConnection, noticedBy side: Int) {
        guard !connection.isCut, !connection.isSilent else { return }
        connection.isSilent = true
        disconnect(side, of: connection)
    }

    private func disconnect(_ side: Int, of connection: SimulatedConnection) {
        let end = connection.ends[side]
        guard end.isAlive else { return }
        lose(end.link, of: end.host)
        pump(end.host)
    }

    /// Nothing arrives any more, and nobody hears of it.
    public func silence(_ connection: SimulatedConnection) { connection.isSilent = true }

    /// Hosts of different parts do not reach each other, and their connections fall silent.
    public func part(_ groups: [[SimulatedHost]]) {
        for (index, group) in groups.enumerated() {
            for host in group { host.part = index }
        }
        for connection in connections where connection.ends[0].host.part != connection.ends[1].host.part {
            silence(connection)
        }
    }

    /// All hosts reach each other again. Connections that fell silent stay so.
    public func heal() {
        for host in hosts { host.part = 0 }
    }

    // MARK: Bytes

    /// Bytes are on their way.
    func send(_ bytes: [UInt8], over transport: SimulatedTransport) {
        let (connection, side) = (transport.connection, transport.side)
        sentBytes += UInt64(bytes.count)
        sentPieces += 1
        transport.end.inFlight += bytes.count
        guard !connection.isSilent, !connection.isCut else { return }
        let time = arrival(from: side, over: connection, of: bytes.count)
        events.append(.bytes(connection, to: 1 - side, bytes), at: time)
    }

    /// The end of a stream is on its way, once.
    func endOutput(_ transport: SimulatedTransport) {
        let (connection, side) = (transport.connection, transport.side)
        guard !transport.end.hasEnded else { return }
        transport.end.hasEnded = true
        guard !connection.isSilent, !connection.isCut else { return }
        events.append(.end(connection, of: 1 - side), at: arrival(from: side, over: connection, of: 0))
    }

    /// When `count` bytes arrive: after what was sent before, and not faster than they are read.
    private func arrival(from side: Int, over connection: SimulatedConnection, of count: Int) -> Instant {
        var time = max(now.advanced(by: connection.latency), connection.ends[side].lastArrival)
        if let rate = options.bytesPerSecond {
            time = time.advanced(by: .microseconds(Int64(count) * 1_000_000 / Int64(max(rate, 1))))
        }
        connection.ends[side].lastArrival = time
        return time
    }

    func deliver(_ bytes: [UInt8], to side: Int, of connection: SimulatedConnection) {
        guard !connection.isSilent, !connection.isCut else { return }
        connection.ends[1 - side].inFlight -= bytes.count
        reach(connection.ends[side]) { $0.receive(bytes.span, at: now) }
        // There is room for more.
        reach(connection.ends[1 - side]) { _ in }
    }

    func deliverEnd(to side: Int, of connection: SimulatedConnection) {
        guard !connection.isSilent, !connection.isCut else { return }
        reach(connection.ends[side]) { $0.receiveEnd(at: now) }
    }

    /// Does something with the driver at one end, if its program still uses it, and what follows from it.
    private func reach(_ end: SimulatedConnection.End, _ body: (LinkDriver) -> Void) {
        guard end.isAlive, let transport = end.host.program.transports[end.link] else { return }
        body(transport.driver)
        drain(end.link, of: end.host)
        pump(end.host)
    }
}
