import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

/// Random operations on a network of members. What it prints is its seed.
private struct Churn {
    let network: Simulator
    let session: SessionID
    private var dice: SeededRandomSource
    private var memories: [Int: SessionMemory] = [:]
    private var count = 0

    init(seed: UInt64, members: Int) throws {
        (network, session) = try Networks.session(of: members, seed: seed)
        dice = SeededRandomSource(seed: seed &* 31)
    }

    private mutating func host() -> SimulatedHost { network.hosts[dice.next(below: network.hosts.count)] }

    mutating func step() {
        let host = self.host()
        switch dice.next(below: 20) {
        case 0: if let connection = network.anyConnection() { network.cut(connection) }
        case 1: if let connection = network.anyConnection() { network.cut(connection, noticedBy: dice.next(below: 2)) }
        case 2: if let connection = network.anyConnection() { network.silence(connection) }
        // The one that admitted all stays, or some would have nobody that knows them.
        case 3 where host.isUp && host.id > 0:
            memories[host.id] = host.memory(of: session)
            network.crash(host, noticed: dice.next(below: 2) == 0)
        case 4, 5: revive(host)
        case 6 where host.isUp && host.id > 0: network.leave(host, session)
        case 7, 8: if host.isUp { network.comeBack(host, to: session) }
        case 9: network.part([network.hosts.filter { $0.id % 2 == 0 }, network.hosts.filter { $0.id % 2 == 1 }])
        case 10: network.heal()
        default: if host.isUp { say(from: host) }
        }
        network.run(for: .milliseconds(Int64(dice.next(below: 3_000))))
    }

    private mutating func say(from host: SimulatedHost) {
        count += 1
        network.send(Array("\(host.id) \(host.run) \(count)".utf8), from: host, in: session)
    }

    private func revive(_ host: SimulatedHost) {
        if !host.isUp { network.restart(host, with: memories[host.id]) }
    }

    func settle() {
        network.heal()
        for host in network.hosts {
            revive(host)
            network.comeBack(host, to: session)
        }
        if network.run(until: .seconds(600), step: .seconds(10), { isWhole }) { return network.run(for: .seconds(60)) }
        // A round that failed long ago may let wait up to an hour; an app asks.
        for host in network.hosts {
            for other in network.hosts where other !== host && host.state(of: other, in: session) != .connected {
                network.act(host) { node in _ = try? node.dial(other.key, in: session, at: network.now) }
            }
        }
        network.run(for: .seconds(180))
    }

    private var isWhole: Bool {
        network.hosts.allSatisfy { host in
            network.hosts.allSatisfy { $0 === host || host.state(of: $0, in: session) == .connected }
        }
    }

    /// Each message came once and in order, or its sender knows that it may not have.
    func expectMessages() {
        for host in network.hosts {
            for sent in host.app.sent {
                guard let other = network.hosts.first(where: { $0.key == sent.to }) else { continue }
                let copies = other.app.received[host.key]?.count { $0 == sent.message } ?? 0
                switch sent.result {
                case .delivered: #expect(copies == 1, "seed \(network.seed)")
                case .notSent: #expect(copies == 0, "seed \(network.seed)")
                case .inDoubt: #expect(copies <= 1, "seed \(network.seed)")
                // The program that sent it is gone.
                case nil: #expect(copies <= 1, "seed \(network.seed)")
                }
            }
            for (sender, messages) in host.app.received {
                let numbers = messages.map(Self.number)
                #expect(numbers == numbers.sorted(), "from \(sender), seed \(network.seed)")
            }
        }
    }

    private static func number(_ message: [UInt8]) -> Int {
        String(decoding: message, as: UTF8.self).split(separator: " ").last.flatMap { Int($0) } ?? -1
    }
}

@Suite("Random operations on networks of members")
struct NodeChurnTests {
    @Test("Rosters and links converge, and every lost message is reported", arguments: 1...8 as ClosedRange<UInt64>)
    func churn(seed: UInt64) throws {
        var churn = try Churn(seed: seed, members: 5)
        for _ in 0..<150 { churn.step() }
        churn.settle()
        Networks.expectWhole(churn.network, churn.session)
        churn.expectMessages()
        for host in churn.network.hosts {
            for event in host.app.events {
                #expect(event != .twinSuspected && event != .placeLost, "seed \(seed)")
                if case .departed(let member, .misbehaved) = event { Issue.record("\(member), seed \(seed)") }
            }
        }
    }

    @Test("The same seed gives the same run")
    func replay() throws {
        func run() throws -> [[SimulatedApp.Event]] {
            var churn = try Churn(seed: 77, members: 4)
            for _ in 0..<60 { churn.step() }
            return churn.network.hosts.map(\.app.events)
        }
        #expect(try run() == run())
    }
}
