import MultipeerCore
public import MultipeerCrypto
import MultipeerWire

/// Where the operations of a ``Churn`` come from: a seed, or the input of a fuzzer.
public protocol ChurnChoices: SendableMetatype {
    /// A number below `bound`, which is positive.
    mutating func next(below bound: Int) -> Int
}

extension SeededRandomSource: ChurnChoices {}

/// Operations on a network of members, as chance or a fuzzer chooses them, and what must be so afterwards.
///
/// The first host stays, because it has admitted all others: without it some would have nobody that knows them.
public struct Churn<Choices: ChurnChoices> {
    public let network: Simulator
    public let session: SessionID
    /// What is left of the choices.
    public private(set) var choices: Choices
    /// What the machines of dead programs have kept.
    private var memories: [Int: SessionMemory] = [:]
    private var count = 0

    /// Members of a session whose links are open.
    public init(_ network: Simulator, _ session: SessionID, _ choices: Choices) {
        (self.network, self.session, self.choices) = (network, session, choices)
    }

    /// Does one thing, and lets a little time pass.
    public mutating func step() {
        let host = network.hosts[choices.next(below: network.hosts.count)]
        switch choices.next(below: 24) {
        case 0: if let connection = network.anyConnection() { network.cut(connection) }
        case 1:
            if let connection = network.anyConnection() {
                network.cut(connection, noticedBy: choices.next(below: 2))
            }
        case 2: if let connection = network.anyConnection() { network.silence(connection) }
        case 3: if host.isUp, host.id > 0 { kill(host) }
        case 4, 5: revive(host)
        case 6: if host.isUp, host.id > 0 { network.leave(host, session) }
        case 7, 8: if host.isUp { network.comeBack(host, to: session) }
        case 9: network.part([network.hosts.filter { $0.id % 2 == 0 }, network.hosts.filter { $0.id % 2 == 1 }])
        case 10: network.heal()
        case 11: if host.isUp { say(from: host, length: 1 << choices.next(below: 20)) }
        case 12: host.app.takesMessages = false
        case 13: network.takeMessages(host)
        // Sent, and at once the end.
        case 14:
            if host.isUp, host.id > 0 { network.leave(host, session, afterSending: nextMessage()) }
        case 15: if host.isUp { closeLink(of: host) }
        default: if host.isUp { say(from: host) }
        }
        network.run(for: .milliseconds(Int64(choices.next(below: 3_000))))
    }

    private mutating func say(from host: SimulatedHost, length: Int = 0) {
        network.send(nextMessage(ofLength: length), from: host, in: session)
    }

    private mutating func nextMessage(ofLength length: Int = 0) -> [UInt8] {
        count += 1
        let number = Array("\(count) ".utf8)
        return number + [UInt8](repeating: 0x2E, count: max(0, length - number.count))
    }

    private mutating func kill(_ host: SimulatedHost) {
        memories[host.id] = host.memory(of: session)
        network.crash(host, noticed: choices.next(below: 2) == 0)
    }

    private func revive(_ host: SimulatedHost) {
        if !host.isUp { network.restart(host, with: memories[host.id]) }
    }

    /// An app sends, and ends the link to a member: what was sent before leaves before.
    private mutating func closeLink(of host: SimulatedHost) {
        let other = network.hosts[choices.next(below: network.hosts.count)]
        guard let link = host.link(to: other, in: session) else { return }
        network.close(link, of: host, in: session, afterSending: nextMessage())
    }

    // MARK: Afterwards

    /// All programs run and are members, and the network is left alone until every two are linked.
    public func settle() {
        network.heal()
        for host in network.hosts {
            revive(host)
            network.takeMessages(host)
            network.comeBack(host, to: session)
        }
        // A link that an app has closed is made again when an app asks.
        dialMissing()
        if network.run(until: .seconds(600), step: .seconds(10), { isWhole }) { return network.run(for: .seconds(60)) }
        // A round that failed long ago may let wait up to an hour.
        dialMissing()
        network.run(for: .seconds(180))
    }

    private func dialMissing() {
        for host in network.hosts {
            for other in network.hosts where other !== host && host.state(of: other, in: session) != .connected {
                network.act(host) { node in _ = try? node.dial(other.key, in: session, at: network.now) }
            }
        }
    }

    private var isWhole: Bool {
        network.hosts.allSatisfy { host in
            network.hosts.allSatisfy { $0 === host || host.state(of: $0, in: session) == .connected }
        }
    }

    /// What is not as it must be once the network has settled; empty if all is.
    public var complaints: [String] {
        var found = network.faults
        for host in network.hosts {
            for other in network.hosts where other !== host {
                let state = host.state(of: other, in: session)
                if state != .connected { found.append("\(host.name) has \(other.name) as \(state)") }
                let open = network.connections(host, other).filter { $0.isOpen(in: session) }
                if open.count != 1 { found.append("\(host.name) has \(open.count) open links to \(other.name)") }
            }
            found += complaints(aboutMessagesOf: host)
            found += complaints(aboutEventsOf: host)
            if host.lostMemory != 0 { found.append("\(host.name) lends \(host.lostMemory) bytes for nothing") }
        }
        if Set(network.hosts.map { $0.digest(of: session) }).count != 1 { found.append("rosters differ") }
        return found
    }

    /// Each message came once and in order, or its sender knows that it may not have.
    private func complaints(aboutMessagesOf host: SimulatedHost) -> [String] {
        var found: [String] = []
        for sent in host.app.sent {
            guard let other = network.hosts.first(where: { $0.key == sent.to }) else { continue }
            let copies = other.app.received[host.key]?.count { $0 == sent.message } ?? 0
            // Nobody asks any more if the program that sent it is gone.
            let isRight = sent.permits(copies: copies) && (sent.result != nil || sent.run != host.run)
            guard !isRight else { continue }
            found.append("\(other.name) got \(copies) times what \(host.name) has as \(sent.resultText)")
        }
        for (sender, messages) in host.app.received {
            let numbers = messages.map(SimulatedApp.number)
            if numbers != numbers.sorted() { found.append("\(host.name) got messages of \(sender) out of order") }
        }
        return found
    }

    /// Nobody has done anything wrong.
    private func complaints(aboutEventsOf host: SimulatedHost) -> [String] {
        host.app.events.compactMap { event in
            switch event {
            case .twinSuspected, .placeLost, .contradiction, .departed(_, .misbehaved): "\(host.name) heard \(event)"
            case .connected, .reconnecting, .departed, .restarted: nil
            }
        }
    }
}

extension SimulatedApp.Sent {
    fileprivate var resultText: String { result.map { "\($0)" } ?? "unknown" }
}
