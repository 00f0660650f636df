import MultipeerCore
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

/// Many members of one session, and what chance does to them. A few can be reached, as where a router hides most of
/// them; so the links are as many as a machine can make in a test, and it is known which ones there must be.
struct Crowd {
    private static let hubs = 2

    let network: Simulator
    let session: SessionID
    private var dice: SeededRandomSource
    /// What the machines of dead programs have kept.
    private var memories: [Int: SessionMemory] = [:]
    /// Those that have left.
    private(set) var away: Set<Int> = []

    init(seed: UInt64, size: Int) throws {
        network = Simulator(seed: seed)
        dice = SeededRandomSource(seed: seed &* 31)
        let crypto = Peers.crypto.rememberingSignatures()
        for index in 0..<size {
            try Networks.add(UInt64(index + 1), to: network, listens: index < Self.hubs) { configuration in
                configuration.link.crypto = crypto
                configuration.link.timeouts.keepAlive = KeepAliveTimes(ping: .seconds(20), silence: .seconds(60))
            }
        }
        session = try #require(network.found(network.hosts[0]))
    }

    // MARK: The members

    /// Those that take part, or would if they had not died.
    var present: [SimulatedHost] { network.hosts.filter { !away.contains($0.id) } }

    private func isMember(_ host: SimulatedHost) -> Bool {
        host.isUp && host.isMember(of: session)
    }

    /// Whether it has a link that works.
    private func isHeard(_ host: SimulatedHost) -> Bool {
        network.hosts.contains { other in
            other !== host && host.state(of: other, in: session) == .connected
                && network.connections(host, other).contains { !$0.isSilent && $0.isOpen(in: session) }
        }
    }

    /// Those whose programs run and know nothing of the session: newcomers, and members that have forgotten it.
    private var outsiders: [SimulatedHost] {
        network.hosts.filter { $0.isUp && !$0.sessions.contains(session) }
    }

    private mutating func pick(_ hosts: [SimulatedHost]) -> SimulatedHost? {
        hosts.isEmpty ? nil : hosts[dice.next(below: hosts.count)]
    }

    // MARK: What happens

    /// One thing happens, and a little time passes.
    mutating func step() {
        switch dice.next(below: 16) {
        case 0...3: join()
        case 4, 5:
            // A member that has lost all links cannot say that it leaves, and stays present for the others (SPEC
            // §14.9).
            if let host = pick(network.hosts.filter { $0.id > 0 && isMember($0) }), isHeard(host) {
                network.leave(host, session)
                away.insert(host.id)
            }
        case 6:
            if let host = pick(network.hosts.filter { $0.isUp && away.contains($0.id) }) {
                network.comeBack(host, to: session)
                away.remove(host.id)
            }
        case 7, 8:
            // The founder stays, so that there is always somebody who may invite.
            if let host = pick(network.hosts.filter { $0.isUp && $0.id > 0 }) { kill(host) }
        case 9, 10: if let host = pick(network.hosts.filter { !$0.isUp }) { revive(host, remembers: true) }
        case 11: if let host = pick(network.hosts.filter { !$0.isUp }) { revive(host, remembers: false) }
        case 12: if let connection = network.anyConnection() { network.cut(connection) }
        case 13: if let connection = network.anyConnection() { network.cut(connection, noticedBy: dice.next(below: 2)) }
        case 14: if let connection = network.anyConnection() { network.silence(connection) }
        default: if let host = pick(network.hosts.filter(isMember)) { network.send([1], from: host, in: session) }
        }
        network.run(for: .milliseconds(Int64(dice.next(below: 400))))
    }

    /// `count` are invited, a little time apart.
    mutating func grow(by count: Int) {
        for _ in 0..<count {
            join()
            network.run(for: .milliseconds(Int64(dice.next(below: 400))))
        }
    }

    /// Somebody who is not in the session connects to a member, and is invited.
    private mutating func join() {
        guard let newcomer = pick(outsiders) else { return }
        let inviters = network.hosts.filter { host in
            host.isReachable && host.isUp && host !== newcomer && host.mayAdmit(to: session)
                && isFree(newcomer, for: host)
        }
        if let host = pick(inviters) { invite(newcomer, by: host) }
    }

    private func invite(_ newcomer: SimulatedHost, by host: SimulatedHost) {
        network.connect(newcomer, to: host, isInviting: false)
        guard let connection = network.connections(newcomer, host).last else { return }
        do throws(NodeRequestError) {
            try network.act(host) { node throws(NodeRequestError) in
                try node.invite(
                    on: connection.link(of: host), to: session, terms: SessionTerms(encryption: .optional),
                    at: network.now)
            }
        } catch {
            Issue.record("\(host.name) cannot invite \(newcomer.name): \(error), seed \(network.seed)")
        }
    }

    /// Whether one may invite another: it believes in no link to it that it has lost without a word.
    private func isFree(_ newcomer: SimulatedHost, for host: SimulatedHost) -> Bool {
        let state = host.state(of: newcomer, in: session)
        return state != .connected && state != .linking
    }

    private mutating func kill(_ host: SimulatedHost) {
        memories[host.id] = host.memory(of: session)
        network.crash(host, noticed: dice.next(below: 2) == 0)
    }

    /// A program begins anew. What has left is back by what it has kept; what has forgotten all is an outsider.
    private mutating func revive(_ host: SimulatedHost, remembers: Bool) {
        let memory = memories[host.id].flatMap { $0.chain == nil ? nil : $0 }
        network.restart(host, with: remembers ? memory : nil)
        away.remove(host.id)
    }

    /// All programs run, all that are in no session are invited, and the network is left alone until it is quiet.
    /// Returns whether it became so.
    mutating func settle() -> Bool {
        for host in network.hosts where !host.isUp { revive(host, remembers: dice.next(below: 4) > 0) }
        // So long it takes until all silence is noticed.
        network.run(for: .seconds(70))
        for _ in 0..<5 where !outsiders.isEmpty {
            for host in outsiders where isFree(host, for: network.hosts[0]) { invite(host, by: network.hosts[0]) }
            network.run(for: .seconds(10))
        }
        return network.run(until: .seconds(900), step: .seconds(10)) { isQuiet }
    }

    private var isQuiet: Bool { Set(present.map { $0.digest(of: session) }).count == 1 && strangeStates.isEmpty }

    /// The state that two should have: a member that has left is gone; of two others that are not linked, none can be
    /// reached.
    private func expectedState(of other: SimulatedHost, for host: SimulatedHost) -> MemberState {
        if away.contains(other.id) { return .gone }
        return host.isReachable || other.isReachable ? .connected : .known
    }

    /// The members whose state is not what it should be for another one.
    private var strangeStates: [String] {
        present.flatMap { host in
            network.hosts.compactMap { other in
                guard other !== host else { return nil }
                let state = host.state(of: other, in: session)
                return state == expectedState(of: other, for: host) ? nil : "\(host.name) to \(other.name): \(state)"
            }
        }
    }
}

// MARK: What must be so once it is quiet

extension Crowd {
    /// All rosters are equal and have everybody.
    func expectOneRoster(_ location: SourceLocation = #_sourceLocation) {
        Networks.expectEqualRosters(network, session, present, location)
        let keys = Set(network.hosts.map(\.key))
        let others = present.filter { Set($0.members(of: session)) != keys.subtracting([$0.key]) }
        #expect(others.map(\.name).isEmpty, "seed \(network.seed)", sourceLocation: location)
        #expect(network.faults.isEmpty, "seed \(network.seed)", sourceLocation: location)
    }

    /// Every connection is an open link that both ends see, the only one of the two; and nobody is between two states,
    /// linked to a member that has left, or cut off from a member that it could reach.
    func expectNoGhosts(_ location: SourceLocation = #_sourceLocation) {
        var (pairs, ghosts): (Set<[Int]>, [[Int]]) = ([], [])
        for connection in network.liveConnections {
            let pair = connection.hosts.map(\.id).sorted()
            if !connection.isOpen(in: session) || !pairs.insert(pair).inserted { ghosts.append(pair) }
        }
        #expect(ghosts.isEmpty, "seed \(network.seed)", sourceLocation: location)
        let hubs = present.count { $0.isReachable }
        let links = hubs * (hubs - 1) / 2 + hubs * (present.count - hubs)
        #expect(pairs.count == links, "seed \(network.seed)", sourceLocation: location)
        #expect(strangeStates.isEmpty, "seed \(network.seed)", sourceLocation: location)
    }

    /// The events of each app are consistent: nobody is connected twice, or returns without having left, and every
    /// end has a reason that fits.
    func expectWholeStories(_ location: SourceLocation = #_sourceLocation) {
        var wrong: [String] = []
        for host in network.hosts {
            var linked: Set<IdentityKey> = []
            for event in host.app.events where !host.tells(event, &linked) { wrong.append("\(host.name): \(event)") }
            let connected = network.hosts.filter { host.state(of: $0, in: session) == .connected }.map(\.key)
            if linked != Set(connected) { wrong.append(host.name) }
        }
        #expect(wrong.isEmpty, "seed \(network.seed)", sourceLocation: location)
    }

    /// What each app heard, and how often each node has dialled.
    var record: (events: [[SimulatedApp.Event]], dials: Int) {
        (
            network.hosts.map(\.app.events),
            network.hosts.reduce(0) { sum, host in host.dials.values.reduce(sum, +) }
        )
    }
}

extension SimulatedHost {
    /// Whether an event continues what its app believes.
    fileprivate func tells(_ event: SimulatedApp.Event, _ linked: inout Set<IdentityKey>) -> Bool {
        switch event {
        case .connected(let member, let isReplacement): return linked.insert(member).inserted != isReplacement
        case .departed(let member, let why):
            linked.remove(member)
            return [.left, .lost, .refused, .closed].contains(why)
        case .reconnecting(let member): return linked.contains(member)
        case .restarted:
            linked = []
            return true
        case .contradiction, .twinSuspected, .placeLost: return false
        }
    }
}
