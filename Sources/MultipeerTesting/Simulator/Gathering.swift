import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// Apps that all browse and invite whomever they find, within five seconds; that answer yes, no or late; whose network loses links and parts,
/// and whose programs crash. And what must be so in the end (SPEC §8.7, §13.9, §14.11).
public final class Gathering {
    /// What the network and the programs do meanwhile.
    public struct Troubles: Sendable {
        /// How many links break, how often hosts do not reach each other for a while, and how many programs crash.
        public var cuts = 0
        public var partitions = 0
        public var crashes = 0

        /// A network that works.
        public init(cuts: Int = 0, partitions: Int = 0, crashes: Int = 0) {
            (self.cuts, self.partitions, self.crashes) = (cuts, partitions, crashes)
        }
    }

    private enum Action {
        case invite(by: Int, Int, tries: Int)
        case answer(by: Int, run: Int, LinkNumber, isYes: Bool)
        case cut(isNoticed: Bool)
        case part
        case heal
        case crash(Int, keeps: Bool)
        case restart(Int, SessionMemory?)
        case send(by: Int)
    }

    private static let group = GroupNumber(rawValue: 1)
    private static let terms = SessionTerms(encryption: .optional)
    /// How long everything takes that chance decides about.
    private static let span = 8_000

    public let network: Simulator
    private var plan: [(at: Int, action: Action)] = []
    /// The milliseconds that have passed.
    private var time = 0
    /// Who says no to whom.
    private var refusals: Set<[Int]> = []
    /// Between whom somebody has said yes.
    private var consents: Set<Set<Int>> = []
    /// The questions that somebody thinks about.
    private var pondered: [Int: Set<LinkNumber>] = [:]
    private var messages: [Int: Int] = [:]
    /// Which hosts were to get which messages.
    private var promises: Set<[Int]> = []
    /// What is not as it must be.
    public private(set) var complaints: [String] = []

    /// Hosts that do not know each other.
    public init(_ network: Simulator, _ troubles: Troubles, refusing share: Int) {
        self.network = network
        for host in network.hosts {
            host.group = Self.group
            host.app.terms = nil
        }
        let count = network.hosts.count
        for host in 0..<count {
            for other in 0..<count where other != host {
                if chance(100) < share { refusals.insert([host, other]) }
                add(.invite(by: host, other, tries: 4), within: 5_000)
            }
            for _ in 0..<10 { add(.send(by: host), within: Self.span) }
        }
        for _ in 0..<troubles.cuts { add(.cut(isNoticed: chance(3) > 0), within: Self.span) }
        for _ in 0..<troubles.partitions {
            let begin = chance(Self.span - 2_000)
            plan += [(begin, .part), (begin + 500 + chance(3_500), .heal)]
        }
        for _ in 0..<troubles.crashes { add(.crash(chance(count), keeps: chance(2) == 0), within: Self.span) }
    }

    private func chance(_ bound: Int) -> Int { network.dice.next(below: bound) }

    private func add(_ action: Action, within milliseconds: Int) {
        plan.append((time + chance(milliseconds), action))
    }

    // MARK: What happens

    /// Lets everything happen, and returns how long it took after that until those that have consented were together; nil if they
    /// never were.
    public func run() -> Duration? {
        while time < Self.span || !plan.isEmpty, time < 60_000 {
            step()
            check()
        }
        for host in network.hosts where !host.isUp { restart(host.id, nil) }
        network.heal()
        let begin = network.now
        let isWhole = network.run(until: .seconds(120), step: .milliseconds(20)) {
            step(0)
            return isTogether
        }
        guard isWhole else {
            complaints.append("the groups are \(groups), of those that have said yes \(components); apart are \(apart)")
            return nil
        }
        let lasted = network.now.duration(since: begin)
        for _ in 0..<400 { step() }
        // A link that fell silent at last is noticed after that, and comes back.
        let staysWhole = network.run(until: .seconds(90), step: .milliseconds(50)) { isTogether && isSettled }
        if !staysWhole { complaints.append("the groups were together, and are \(groups)") }
        check()
        checkMessages()
        complaints += network.faults
        return lasted
    }

    private func step(_ milliseconds: Int = 50) {
        time += milliseconds
        let due = plan.filter { $0.at <= time }.sorted { $0.at < $1.at }
        plan.removeAll { $0.at <= time }
        for (_, action) in due { perform(action) }
        for host in network.hosts where host.isUp { ponder(host) }
        if milliseconds > 0 { network.run(for: .milliseconds(Int64(milliseconds))) }
    }

    private func perform(_ action: Action) {
        switch action {
        case .invite(let host, let other, let tries): invite(network.hosts[host], network.hosts[other], tries)
        case .answer(let host, let run, let link, let isYes):
            if network.hosts[host].isUp, network.hosts[host].run == run { answer(network.hosts[host], link, isYes) }
        case .cut(let isNoticed):
            guard let connection = network.anyConnection() else { return }
            if isNoticed { network.cut(connection) } else { network.cut(connection, noticedBy: chance(2)) }
        case .part:
            let parts = network.hosts.map { _ in chance(2) }
            network.part((0..<2).map { part in network.hosts.filter { parts[$0.id] == part } })
        case .heal: network.heal()
        case .crash(let id, let keeps):
            let host = network.hosts[id]
            guard host.isUp else { return }
            let memory = keeps ? host.node.home(of: Self.group).flatMap { host.memory(of: $0) } : nil
            network.crash(host, noticed: chance(2) == 0)
            plan.append((time + 100 + chance(1_500), .restart(id, memory)))
        case .restart(let id, let memory): restart(id, memory)
        case .send(let id):
            let host = network.hosts[id]
            guard host.isUp, let home = host.node.home(of: Self.group) else { return }
            messages[id, default: 0] += 1
            // Those that are connected on both sides are sure to get it, unless they part.
            for other in network.hosts where other.isUp && other.app.shown[host.key] != nil {
                promises.insert([id, other.id, messages[id] ?? 0])
            }
            network.send(Array("\(messages[id] ?? 0) of \(id)".utf8), from: host, in: home)
        }
    }

    private func invite(_ host: SimulatedHost, _ other: SimulatedHost, _ tries: Int) {
        guard host.isUp, host.app.shown[other.key] == nil else { return }
        // Whoever is not there, or says nothing, is found again.
        if tries > 0 { plan.append((time + 1_000 + chance(1_000), .invite(by: host.id, other.id, tries: tries - 1))) }
        guard let link = network.connect(host, to: other, isInviting: false) else { return }
        network.act(host) { node in
            _ = try? node.invite(
                on: link, to: node.home(of: Self.group), in: Self.group, terms: Self.terms, patience: .forConnection,
                at: network.now)
        }
    }

    private func ponder(_ host: SimulatedHost) {
        for link in host.app.questions where pondered[host.id, default: []].insert(link).inserted {
            guard let key = host.node.peer(of: link), let other = network.hosts.first(where: { $0.key == key }) else {
                continue
            }
            let isLate = chance(4) == 0
            plan.append(
                (
                    time + (isLate ? 500 + chance(2_500) : chance(100)),
                    .answer(by: host.id, run: host.run, link, isYes: !refusals.contains([host.id, other.id]))
                ))
        }
    }

    private func answer(_ host: SimulatedHost, _ link: LinkNumber, _ isYes: Bool) {
        guard let key = host.node.peer(of: link), let other = network.hosts.first(where: { $0.key == key }) else {
            return
        }
        var isAnswered = false
        network.act(host) { node in
            isAnswered =
                (try? isYes
                    ? node.accept(link, into: Self.group, with: Self.terms, at: network.now)
                    : node.decline(link, at: network.now)) != nil
        }
        if isAnswered, isYes { consents.insert([host.id, other.id]) }
    }

    /// A program that has forgotten its session looks for everybody again.
    private func restart(_ id: Int, _ memory: SessionMemory?) {
        let host = network.hosts[id]
        guard !host.isUp else { return }
        pondered[id] = []
        network.restart(host)
        if let memory {
            network.act(host) { node in _ = try? node.join(memory, in: Self.group, at: network.now) }
        }
        if memory == nil { consents = consents.filter { !$0.contains(id) } }
        for other in network.hosts where other !== host { add(.invite(by: id, other.id, tries: 6), within: 1_000) }
    }

    // MARK: What must be so

    /// Those that have become connected, and have not parted: the parts of the graph.
    private var components: [Set<Int>] { Self.parts(of: network.hosts.count, joined: bonds) }

    /// Consents that have led to a connection: an answer can come too late.
    private var bonds: [Set<Int>] {
        consents.filter { pair in
            let hosts = pair.map { network.hosts[$0] }
            return hosts[0].app.shown[hosts[1].key] != nil || hosts[1].app.shown[hosts[0].key] != nil
        }
    }

    private var groups: [Set<Int>] {
        Dictionary(grouping: network.hosts) { $0.node.home(of: Self.group) }.values.map { Set($0.map(\.id)) }
    }

    private static func parts(of count: Int, joined pairs: [Set<Int>]) -> [Set<Int>] {
        var parts = (0..<count).map { Set([$0]) }
        for pair in pairs {
            let touched = parts.filter { !$0.isDisjoint(with: pair) }
            parts.removeAll { !$0.isDisjoint(with: pair) }
            parts.append(touched.reduce(into: []) { $0.formUnion($1) })
        }
        return parts
    }

    /// Those of one component have one home, and each shows those of its component that it may.
    private var isTogether: Bool {
        components.allSatisfy { component in
            let hosts = component.map { network.hosts[$0] }
            guard hosts.count > 1 else { return true }
            let home = hosts[0].node.home(of: Self.group)
            guard home != nil, hosts.allSatisfy({ $0.node.home(of: Self.group) == home }) else { return false }
            return hosts.allSatisfy { host in
                hosts.allSatisfy { other in
                    host === other
                        || host.app.lost[other.key] == nil
                            && (host.app.shown[other.key] != nil || isRefused(host.id, other.id))
                }
            }
        }
    }

    /// Those that are in one group and not connected.
    private var apart: [String] {
        network.hosts.flatMap { host in
            network.hosts.compactMap { other in
                guard host !== other, host.app.shown[other.key] == nil || host.app.lost[other.key] != nil,
                    !isRefused(host.id, other.id), let home = host.node.home(of: Self.group),
                    other.node.home(of: Self.group) == home
                else { return nil }
                return "\(host.name) has \(other.name) as \(host.state(of: other, in: home))"
            }
        }
    }

    /// Whether every message has a result, but for those of programs that are gone.
    private var isSettled: Bool {
        network.hosts.allSatisfy { host in host.app.sent.allSatisfy { $0.result != nil || $0.run != host.run } }
    }

    /// Whether one of the two says no to anybody: it keeps away whomever that one has admitted, too (R14.9-5).
    private func isRefused(_ one: Int, _ other: Int) -> Bool {
        refusals.contains { $0[0] == one || $0[0] == other }
    }

    private func check() {
        for host in network.hosts where host.isUp {
            for other in network.hosts where other !== host {
                let open = host.node.openLinkCount(to: other.key, in: Self.group)
                if open > 1 { complain("\(host.name) has \(open) open links to \(other.name)") }
            }
            for event in host.app.events {
                if case .departed(_, .misbehaved) = event { complain("\(host.name) heard \(event)") }
            }
        }
        everConsented.formUnion(consents)
        // Nobody says yes to anybody of another part.
        let parts = Self.parts(of: network.hosts.count, joined: Array(everConsented))
        for part in parts {
            for host in part.map({ network.hosts[$0] }) where host.isUp {
                for other in network.hosts where host.app.shown[other.key] != nil && !part.contains(other.id) {
                    complain("nobody has said yes, and \(host.name) is connected with \(other.name)")
                }
            }
        }
    }

    private var everConsented: Set<Set<Int>> = []

    private func checkMessages() {
        for host in network.hosts {
            for sent in host.app.sent {
                guard let other = network.hosts.first(where: { $0.key == sent.to }) else { continue }
                let copies = other.app.received[host.key]?.count { $0 == sent.message } ?? 0
                if !sent.permits(copies: copies) {
                    complain("\(other.name) got \(copies) copies of a message of \(host.name)")
                }
                // Nothing is lost among those that were connected all the time.
                let stayed =
                    host.app.departures(of: other.key).isEmpty && other.app.departures(of: host.key).isEmpty
                    && host.run == 0 && other.run == 0
                let isPromised = promises.contains([host.id, other.id, SimulatedApp.number(sent.message)])
                if stayed, isPromised, sent.result != .delivered {
                    complain("a message of \(host.name) to \(other.name) is lost")
                }
            }
            for (sender, messages) in host.app.received {
                let numbers = messages.map(SimulatedApp.number)
                if numbers != numbers.sorted() { complain("\(host.name) got messages of \(sender) out of order") }
            }
        }
    }

    private func complain(_ what: String) {
        if !complaints.contains(what) { complaints.append(what) }
    }
}
