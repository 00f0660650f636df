import MultipeerScriptedPeer
import MultipeerWire

/// The datagrams of a play (SPEC §26): a UDP socket beside an open link.
struct DatagramPlay: ~Copyable {
    private let play: Play
    private var socket: UDPSocket
    /// The counter of the tester's next packet.
    var counter: UInt64 = 0

    /// Opens a link beside which both take datagrams. The tester knows the peer's port afterwards.
    init(_ play: Play) throws(Interruption) {
        play.terms.features = [Feature.datagrams.rawValue]
        try play.reach(.open)
        try play.requireDatagrams()
        guard play.peer.behavior.outcome == .encrypted else { throw .skipped("a readable link has no datagrams") }
        var socket = try play.peer.makeDatagramSocket()
        let ownPort = play.role == .responder ? socket.port : 0
        try play.peer.send(WireBytes.datagrams(port: ownPort))
        let frame = try play.take(.datagrams)
        guard let datagrams = try? Datagrams(payload: frame.payload.span) else {
            throw .broke(rule: "R26.2-2", "the peer's DATAGRAMS does not decode")
        }
        guard (datagrams.port == 0) == (play.role == .responder) else {
            throw .broke(rule: "R26.2-2", "the peer's DATAGRAMS names port \(datagrams.port)")
        }
        do throws(NetworkError) {
            if play.role == .initiator {
                try socket.connect(to: datagrams.port, until: play.deadline)
            } else {
                try socket.connectToSender(until: play.deadline)
            }
        } catch {
            throw Interruption(error, awaiting: "first packet of the peer")
        }
        self.play = play
        self.socket = socket
    }

    // MARK: Sending

    /// A sealed packet, with the next counter.
    mutating func packet(_ kind: DatagramKind, _ contents: [UInt8]) throws(Interruption) -> [UInt8] {
        defer { counter += 1 }
        let (script, used) = (play.peer.script, counter)
        return try own { () throws(ScriptedPeerError) in try script.datagram(kind, contents, counter: used) }
    }

    func send(_ packet: [UInt8], note: String) throws(Interruption) {
        play.peer.note("UDP: \(note)", sent: true)
        do throws(NetworkError) { try socket.send(packet) } catch {
            throw Interruption(error, awaiting: "the system to take a packet")
        }
    }

    /// Sends a probe with the next counter.
    mutating func sendProbe(asks challenge: UInt64, answers answered: UInt64 = 0) throws(Interruption) {
        let contents = DatagramProbe(challenge: challenge, answered: answered).bytes
        try send(try packet(.probe, contents), note: "a probe that asks \(challenge) and answers \(answered)")
    }

    mutating func sendMessage(_ message: [UInt8]) throws(Interruption) {
        try send(try packet(.message, message), note: "a message of \(message.count) bytes")
    }

    // MARK: Receiving

    /// The peer's next packet, which must verify.
    func next(awaiting what: String) throws(Interruption) -> ScriptedPeer.Datagram {
        let packet: [UInt8]
        do throws(NetworkError) { packet = try socket.receive(until: play.deadline) } catch {
            throw Interruption(error, awaiting: what)
        }
        let script = play.peer.script
        guard let datagram = try own({ () throws(ScriptedPeerError) in try script.open(datagram: packet) }) else {
            throw .broke(rule: "R26.4-1", "a packet of \(packet.count) bytes came that does not verify")
        }
        play.peer.note("UDP: \(datagram.kind) \(datagram.counter)", sent: false)
        return datagram
    }

    /// Waits for the answer to a challenge, and answers what the peer asks. An answer to another one that is still to come is a fault.
    mutating func awaitAnswer(to challenge: UInt64, never forbidden: Set<UInt64> = []) throws(Interruption) -> Evidence
    {
        while true {
            guard let probe = try next(awaiting: "answer of a probe").probe else { continue }
            guard !forbidden.contains(probe.answered) else {
                throw .failed("the peer has answered a probe that it must drop")
            }
            if probe.challenge != 0 { try sendProbe(asks: 0, answers: probe.challenge) }
            if probe.answered == challenge { return Evidence("a probe that answers the tester's") }
        }
    }

    /// Waits for a report that counts the packet with this counter.
    mutating func awaitReport(of counter: UInt64) throws(Interruption) -> DatagramReport {
        while true {
            let datagram = try next(awaiting: "report")
            if let probe = datagram.probe, probe.challenge != 0 { try sendProbe(asks: 0, answers: probe.challenge) }
            if let report = datagram.report, report.greatest >= counter { return report }
        }
    }
}

extension Play {
    /// SPEC §26 binds peers that list the feature.
    func requireDatagrams() throws(Interruption) {
        guard peer.behavior.features.contains(Feature.datagrams.rawValue) else {
            throw .skipped("the peer does not list the feature datagrams")
        }
    }
}
