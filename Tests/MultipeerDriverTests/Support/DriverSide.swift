import MultipeerCertificates
import MultipeerCore
import MultipeerDriver
import MultipeerSodium
import MultipeerWire

/// A driver with an adapter to a transport that is an array, and an app that accepts everything.
final class DriverSide {
    let driver: LinkDriver
    /// What was written and the peer has not read.
    private(set) var pipe: [UInt8] = []
    /// The room of each buffer that the driver fills.
    var room = RecordHeader.maximumRecordLength
    /// The transport is writable while it holds less than this.
    var capacity = Int.max
    /// How many bytes the local peer reads at a time; 0 for a peer that does not read.
    var readLength = Int.max
    /// Whether the transport can end its output alone.
    var canEndOutput = true
    /// Whether the app takes events.
    var takesEvents = true
    /// The UDP port of the local host; nil if the system gives none.
    var datagramPort: UInt16? = 50_000
    /// The packets that have gone and that the peer has not got, and to which port.
    var packets: [(port: UInt16, bytes: [UInt8])] = []
    /// Whether the app answers `verify`.
    var judges = true

    private(set) var effects: [LinkEffect] = []
    private(set) var steps: [TransportStep] = []
    /// Turns that the driver gave to others.
    private(set) var turns = 0
    private(set) var isClosed = false
    private var isOutputEnding = false
    private var isOutputEnded = false
    private var closesAfterWrites = false
    private var hasSeenEnd = false

    init(
        _ role: LinkRole, _ configuration: LinkConfiguration, at now: Instant,
        options adjust: (inout DriverOptions) -> Void = { _ in }
    ) {
        var options = DriverOptions(random: Parties.sodium.random)
        // Each peer has a clock of its own.
        options.offers = OfferLimit()
        adjust(&options)
        driver = LinkDriver(role: role, configuration: configuration, options: options, now: now)
        driver.transportOpened()
    }

    var end: LinkEnd? {
        for case .closed(let end) in effects { return end }
        return nil
    }

    var messages: [[UInt8]] {
        effects.compactMap { effect in
            if case .message(let message) = effect { message } else { nil }
        }
    }

    /// Messages that came beside the link.
    var datagrams: [[UInt8]] {
        effects.compactMap { effect in
            if case .datagram(let message) = effect { message } else { nil }
        }
    }

    var summary: LinkSummary? {
        for case .opened(let summary) in effects { return summary }
        return nil
    }

    // MARK: The adapter

    /// Does what the driver wants. `turns` says how many turns it gets. Returns whether anything happened.
    @discardableResult
    func drain(at now: Instant, turns limit: Int = .max) -> Bool {
        let before = (pipe.count, steps.count, effects.count + packets.count)
        write(at: now)
        carryDatagrams(at: now)
        var left = limit - 1
        while driver.needsTurn, left > 0 {
            left -= 1
            turns += 1
            driver.beginTurn()
            write(at: now)
        }
        while let step = driver.nextTransportStep(at: now) { take(step, at: now) }
        finishWrites(at: now)
        if takesEvents { for event in driver.events.takeAll() { react(to: event, at: now) } }
        return before != (pipe.count, steps.count, effects.count + packets.count)
    }

    private func carryDatagrams(at now: Instant) {
        if driver.wantsDatagramPort {
            driver.askedForDatagrams()
            if let datagramPort {
                driver.openedDatagrams(at: datagramPort, now: now)
            } else {
                driver.refusedDatagrams()
            }
            write(at: now)
        }
        while let packet = driver.nextDatagram() { packets.append(packet) }
    }

    /// Takes the packets of the peer. Returns whether there were any.
    func receiveDatagrams(from peer: DriverSide, at now: Instant) -> Bool {
        let packets = peer.packets
        peer.packets = []
        for packet in packets where packet.port == datagramPort {
            driver.receiveDatagram(packet.bytes.span, from: peer.datagramPort ?? 0, at: now)
        }
        return !packets.isEmpty
    }

    private func write(at now: Instant) {
        while driver.prepareWrite(at: now, isWritable: !isClosed && pipe.count < capacity) {
            let start = pipe.count
            pipe.append(addingCapacity: room) { (output: inout OutputSpan<UInt8>) in
                driver.transmit(into: &output, at: now)
            }
            precondition(!isOutputEnding && !closesAfterWrites || pipe.count == start, "bytes after the end")
        }
    }

    private func take(_ step: TransportStep, at now: Instant) {
        steps.append(step)
        switch step {
        case .endOutput:
            if canEndOutput { isOutputEnding = true } else { driver.outputCannotEnd() }
        case .closeAfterWrites: closesAfterWrites = true
        case .close: close(at: now)
        }
    }

    /// What was written has left: does what waited for it.
    private func finishWrites(at now: Instant) {
        guard pipe.isEmpty, !isClosed else { return }
        if isOutputEnding, !isOutputEnded {
            isOutputEnded = true
            driver.outputEnded()
            while let step = driver.nextTransportStep(at: now) { take(step, at: now) }
        }
        if closesAfterWrites { close(at: now) }
    }

    private func close(at now: Instant) {
        guard !isClosed else { return }
        isClosed = true
        driver.transportClosed(at: now)
    }

    /// Reads what the peer wrote. Returns whether there was something.
    func read(from peer: DriverSide, at now: Instant) -> Bool {
        guard !isClosed, readLength > 0, driver.wantsRead else { return false }
        if !peer.pipe.isEmpty {
            let bytes = Array(peer.pipe.prefix(readLength))
            peer.pipe.removeFirst(bytes.count)
            driver.receive(bytes.span, at: now)
            return true
        }
        guard peer.isClosed || peer.isOutputEnded, !hasSeenEnd else { return false }
        hasSeenEnd = true
        driver.receiveEnd(at: now)
        return true
    }

    // MARK: The app

    func takeEvents(at now: Instant) {
        for event in driver.events.takeAll() { react(to: event, at: now) }
    }

    private func react(to event: LinkEffect, at now: Instant) {
        effects.append(event)
        switch event {
        case .invited(let token, _):
            try? driver.perform(at: now) { (link, now) throws(RequestError) in
                try link.accept(token, with: Parties.terms, at: now)
            }
        case .verify(let token, _) where judges:
            try? driver.perform(at: now) { (link, now) throws(RequestError) in
                try link.submitVerdict(.accepted(.unverified), for: token, at: now)
            }
        default: break
        }
    }
}
