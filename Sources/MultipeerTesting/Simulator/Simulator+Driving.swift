import MultipeerCore
import MultipeerDriver
import MultipeerWire

/// What an adapter to sockets does with the drivers of a node and its links, on virtual time.
extension Simulator {
    /// Does all that a node and its links ask for, and plans when to wake them. Call it after each request.
    public func pump(_ host: SimulatedHost) {
        let program = host.program
        var isBusy = true
        while isBusy, host.program === program {
            isBusy = false
            for event in program.inbox.takeEvents() {
                isBusy = true
                react(to: event, on: host)
            }
            while let order = program.driver.nextOrder() {
                isBusy = true
                carryOut(order, for: host)
            }
            for link in program.inbox.takeWoken() {
                isBusy = true
                drain(link, of: host)
            }
            while let link = program.driver.nextReady() {
                isBusy = true
                drain(link, of: host)
            }
            if program.inbox.takeLateReceipts() {
                isBusy = true
                program.driver.lateReceipts(at: now)
            }
        }
        guard let deadline = program.driver.deadline, program.timer.map({ deadline < $0 }) ?? true else { return }
        program.timer = deadline
        events.append(.timer(host, run: host.run), at: max(deadline, now))
    }

    private func carryOut(_ order: NodeOrder, for host: SimulatedHost) {
        guard case .dial(let dial, let address) = order else { return }
        if let id = SimulatedHost.id(at: address) { host.dials[id, default: 0] += 1 }
        events.append(.connect(host, run: host.run, dial, address), at: now.advanced(by: latency()))
    }

    // MARK: Links

    /// Drains the driver of a link after an input.
    func drain(_ number: LinkNumber, of host: SimulatedHost) {
        guard let transport = host.program.transports[number], !transport.isDraining else { return }
        transport.isDraining = true
        repeat { write(transport) } while takeStep(of: transport, host)
        transport.isDraining = false
        guard host.program.transports[number] === transport else { return }
        setTimer(of: transport, host)
        guard transport.driver.needsTurn, !transport.hasTurn else { return }
        transport.hasTurn = true
        events.append(.turn(host, run: host.run, number), at: now)
    }

    private func write(_ transport: SimulatedTransport) {
        while transport.driver.prepareWrite(at: now, isWritable: transport.end.inFlight < options.window) {
            let bytes = transmit(transport.driver)
            if !bytes.isEmpty { send(bytes, over: transport) }
        }
    }

    private func transmit(_ driver: LinkDriver) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.append(addingCapacity: RecordHeader.maximumRecordLength) { (output: inout OutputSpan<UInt8>) in
            driver.transmit(into: &output, at: now)
        }
        return bytes
    }

    /// Takes a step that closes the transport. Returns whether there may be more of them.
    private func takeStep(of transport: SimulatedTransport, _ host: SimulatedHost) -> Bool {
        guard let step = transport.driver.nextTransportStep(at: now) else { return false }
        switch step {
        case .endOutput:
            endOutput(transport)
            transport.driver.outputEnded()
            return true
        case .closeAfterWrites, .close: closeTransport(transport, of: host)
        @unknown default: faults.append("\(host.name) wants a step that the simulator does not know")
        }
        return false
    }

    /// A host closes its end. What it has written arrives, and then the end.
    private func closeTransport(_ transport: SimulatedTransport, of host: SimulatedHost) {
        endOutput(transport)
        transport.end.isReleased = true
        host.program.transports[transport.number] = nil
        transport.driver.transportClosed(at: now)
    }

    /// A host finds out that a connection is gone.
    func lose(_ number: LinkNumber, of host: SimulatedHost) {
        guard let transport = host.program.transports.removeValue(forKey: number) else { return }
        transport.end.isReleased = true
        transport.driver.transportClosed(at: now)
    }

    private func setTimer(of transport: SimulatedTransport, _ host: SimulatedHost) {
        guard let deadline = transport.driver.deadline, transport.timer.map({ deadline < $0 }) ?? true else { return }
        transport.timer = deadline
        events.append(.linkTimer(host, run: host.run, transport.number), at: max(deadline, now))
    }

    // MARK: Time

    /// The node's timer has gone off.
    func timeout(_ host: SimulatedHost) {
        host.program.timer = nil
        guard makesProgress(host) else { return }
        host.program.driver.timeout(at: now)
        pump(host)
    }

    /// The timer of a link has gone off.
    func timeout(_ number: LinkNumber, of host: SimulatedHost) {
        guard let transport = host.program.transports[number] else { return }
        transport.timer = nil
        guard makesProgress(host) else { return }
        transport.driver.timeout(at: now)
        drain(number, of: host)
        pump(host)
    }

    /// A link has its next turn.
    func takeTurn(_ number: LinkNumber, of host: SimulatedHost) {
        guard let transport = host.program.transports[number] else { return }
        transport.hasTurn = false
        transport.driver.beginTurn()
        drain(number, of: host)
        pump(host)
    }

    private func makesProgress(_ host: SimulatedHost) -> Bool {
        host.program.timersNow += 1
        if host.program.timersNow < 1_000 { return true }
        faults.append("\(host.name) makes no progress: its deadline stays at \(now.nanoseconds) ns")
        return false
    }
}
