import MultipeerCrypto
import MultipeerWire

/// What becomes of a message that is sent as a datagram (SPEC §26.6).
package enum DatagramOutcome: Hashable, Sendable {
    /// It goes over the path. Whether it comes, nobody says.
    case sent
    /// The path has no room for it now.
    case dropped
    /// No path holds, or the message is empty or too long for one: it is to go over the link.
    case overLink
}

/// One peer's path beside an open link (SPEC §26), without a socket and without a clock.
///
/// Whatever owns it hands in the packets that come from the peer's host, and calls ``timeout(at:)`` at its ``deadline``; after each call it
/// sends all of ``nextPacket()``, and gives the app all of ``nextMessage()``. It begins once both peers have sent DATAGRAMS, and is closed
/// when CLOSE goes or comes, or the link ends.
package struct DatagramPath {
    /// How many bytes may wait for the app, each message with ``charge`` more (R26.6-2).
    private static let mostWaiting = 65_536
    private static let charge = 64
    /// How long a report waits for more to tell.
    private static let reportPause: Duration = .milliseconds(20)
    /// How long after a report the same goes once more, because the first may be lost.
    private static let repeatPause: Duration = .milliseconds(250)

    private var sending: DatagramKeys
    private var receiving: DatagramKeys
    private var window = DatagramWindow()
    private var probing: PathProbing
    private var rate: DatagramRate
    private let budget: DatagramBudget
    private var opening = DatagramAllowance.ofOpening
    private let maximumMessage: UInt64
    private let peerMaximumMessage: UInt64
    /// The counter of the next packet.
    private var counter: UInt64 = 0
    private var greatestCame: Instant?
    private var reportDue: Instant?
    /// When the last report goes once more.
    private var repeatDue: Instant?
    private var waiting = 0
    private var packets = DrainQueue<(port: UInt16, bytes: [UInt8])>()
    private var messages = DrainQueue<[UInt8]>()
    private var isClosed = false

    /// What both peers know of their link.
    struct Terms {
        /// The role of the local peer.
        let role: LinkRole
        let suite: Suite
        let maximumMessage: UInt64
        let peerMaximumMessage: UInt64
    }

    /// - Parameter port: The port in the responder's DATAGRAMS, if the local peer is the initiator.
    /// - Returns: Nil for a link that has ended.
    init?(
        _ terms: Terms, port: UInt16?, exports: ExportKeys, crypto: CryptoProvider, random: DatagramRandomness,
        budget: DatagramBudget, at now: Instant
    ) throws(CryptoFailure) {
        let (suite, role) = (terms.suite, terms.role)
        guard let sending = try DatagramKeys(sentBy: role, suite: suite, exports: exports, crypto: crypto),
            let receiving = try DatagramKeys(sentBy: role.peer, suite: suite, exports: exports, crypto: crypto)
        else { return nil }
        (self.sending, self.receiving, self.budget) = (sending, receiving, budget)
        (maximumMessage, peerMaximumMessage) = (terms.maximumMessage, terms.peerMaximumMessage)
        probing = PathProbing(port: role == .initiator ? port : nil, random: random, at: now)
        rate = DatagramRate(at: now)
        act(at: now)
    }

    /// The tag of the packets that come (SPEC §26.3), by which their owner finds the path.
    package var tag: UInt64 { receiving.tag }

    /// Whether messages go over the path.
    package func holds(at now: Instant) -> Bool { !isClosed && probing.holds(at: now) }

    // MARK: The app

    /// Sends a message, or says that it is not this path that takes it.
    package mutating func send(_ message: [UInt8], at now: Instant) -> DatagramOutcome {
        guard !isClosed else { return .overLink }
        probing.noteUse(at: now)
        act(at: now)
        // The link refuses one that is longer than the peer's maximum as well, and says why.
        guard !message.isEmpty, message.count <= longestMessage, holds(at: now), let port = probing.port else {
            return .overLink
        }
        guard rate.mayGo(at: now), let used = emit(.message, message, to: port, at: now) else { return .dropped }
        rate.note(used, at: now)
        return .sent
    }

    /// A message has gone or come over the link: the path is wanted.
    package mutating func noteLinkMessage(at now: Instant) {
        guard !isClosed else { return }
        probing.noteUse(at: now)
        act(at: now)
    }

    /// How many messages may go now; nil if no path holds, so that they go over the link.
    package func room(at now: Instant) -> Int? { holds(at: now) ? rate.room(at: now) : nil }

    /// A message in so long a time may go however full the window is, if a round trip has passed (R26.7-3).
    package static var leastPause: Duration { DatagramRate.leastPause }

    /// The longest message that goes in a datagram.
    package var longestMessage: Int { min(DatagramHeader.maximumContents, Int(clamping: peerMaximumMessage)) }

    /// The app has taken messages.
    /// - Parameters:
    ///   - count: How many.
    ///   - bytes: Of so many bytes together.
    package mutating func release(_ count: Int, bytes: Int) { waiting -= min(waiting, bytes + count * Self.charge) }

    /// The link closes: nothing goes or comes any more (R26.4-5).
    package mutating func close() {
        isClosed = true
        sending.destroy()
        receiving.destroy()
        packets = DrainQueue()
    }

    // MARK: Packets

    /// A packet has come from a port of the peer's host.
    package mutating func receive(_ packet: Span<UInt8>, from port: UInt16, at now: Instant) {
        guard !isClosed, let header = DatagramHeader(packet: packet), header.tag == receiving.tag,
            DatagramExchange.mayReach(port), !probing.isInitiator || port == probing.port, window.passes(header.counter)
        else { return }
        act(at: now)
        guard opening.take(1, at: now), let contents = receiving.open(packet, counter: header.counter) else { return }
        if header.counter >= window.greatest ?? 0 { greatestCame = now }
        window.mark(header.counter)
        switch header.kind {
        case .message: receive(message: contents, at: now)
        case .probe:
            if let probe = DatagramProbe(contents: contents.span) {
                receive(probe, counter: header.counter, from: port, at: now)
            }
        case .report: if let report = DatagramReport(contents: contents.span) { receive(report, at: now) }
        }
        act(at: now)
    }

    private mutating func receive(message: [UInt8], at now: Instant) {
        probing.noteUse(at: now)
        if reportDue == nil { (reportDue, repeatDue) = (now.advanced(by: Self.reportPause), nil) }
        let cost = message.count + Self.charge
        guard !message.isEmpty, UInt64(message.count) <= maximumMessage, waiting + cost <= Self.mostWaiting else {
            return
        }
        waiting += cost
        messages.append(message)
    }

    private mutating func receive(_ probe: DatagramProbe, counter: UInt64, from port: UInt16, at now: Instant) {
        if probe.answered != 0, let roundTrip = probing.receive(answer: probe.answered, from: port, at: now) {
            rate.restart(roundTrip: roundTrip, port: port, moves: probing.moves)
        }
        guard probe.challenge != 0,
            let challenge = probing.answer(to: port, counter: counter, hasAnswered: probe.answered != 0, at: now)
        else {
            return
        }
        emit(DatagramProbe(challenge: challenge, answered: probe.challenge), to: port, at: now)
    }

    private mutating func receive(_ report: DatagramReport, at now: Instant) {
        if rate.receive(report, next: counter, at: now) { probing.noteReport() }
    }

    /// The next packet to send, and the port of the peer's host to which it goes.
    package mutating func nextPacket() -> (port: UInt16, bytes: [UInt8])? { packets.next() }

    /// The next message that has come. Say so by ``release(_:bytes:)`` once the app has taken it.
    package mutating func nextMessage() -> [UInt8]? { messages.next() }

    // MARK: Time

    /// When ``timeout(at:)`` is to be called; nil if nothing is due.
    package func deadline(at now: Instant) -> Instant? {
        guard !isClosed else { return nil }
        return [reportDue, repeatDue, rate.deadline].reduce(probing.deadline(at: now), Instant.earlier)
    }

    /// Time has passed.
    package mutating func timeout(at now: Instant) { if !isClosed { act(at: now) } }

    /// Does what is due: the timer, then asking, then the report.
    private mutating func act(at now: Instant) {
        if let due = rate.deadline, due <= now { fire(at: now) }
        if let challenge = probing.ask(at: now), let port = probing.port {
            emit(DatagramProbe(challenge: challenge, answered: 0), to: port, at: now)
        }
        if let due = reportDue, due <= now {
            (reportDue, repeatDue) = (nil, now.advanced(by: Self.repeatPause))
            report(at: now)
        } else if let due = repeatDue, due <= now {
            repeatDue = nil
            report(at: now)
        }
    }

    private mutating func fire(at now: Instant) {
        switch rate.fire() {
        case .asks: probing.askSoon(at: now)
        case .isDoubtful: probing.doubt(at: now)
        case .rests: probing.rest(at: now)
        }
    }

    private mutating func report(at now: Instant) {
        guard let port = probing.port, let greatest = window.greatest, let came = greatestCame else {
            return
        }
        let microseconds = now.duration(since: came) / Duration.microseconds(1)
        let report = DatagramReport(
            greatest: greatest, received: window.count, delay: UInt32(clamping: Int64(microseconds)))
        _ = emit(.report, report.bytes, to: port, at: now)
    }

    private mutating func emit(_ probe: DatagramProbe, to port: UInt16, at now: Instant) {
        _ = emit(.probe, probe.bytes, to: port, at: now)
    }

    /// Queues a packet, and returns its counter; nil if the process has sent too much, or the link has ended.
    private mutating func emit(
        _ kind: DatagramKind, _ contents: [UInt8], to port: UInt16, at now: Instant
    ) -> UInt64? {
        let length = DatagramHeader.length + contents.count + aeadTagLength
        guard budget.take(length, at: now), let packet = try? sending.seal(kind, contents, counter: counter) else {
            return nil
        }
        packets.append((port, packet))
        defer { counter += 1 }
        return counter
    }
}
