import MultipeerCertificates
import MultipeerCrypto
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

/// A node judges members of two branches that admit each other. Its links carry no bytes: the world gives the node what a link
/// reports, and the node does the rest. Each test visits all states that histories up to its length reach.
@Suite("All states of members that a turned-away member admits, SPEC §14.9")
struct VouchingWorldTests {
    @Test(
        "Three in one chain: after a fault of the first or second, none of them is accepted unasked (R14.9-5)",
        arguments: [[2], [2, 3]] as [[UInt64]])
    func chain(offender: [UInt64]) throws {
        let (mallory, sybil, third) = ([2], [2, 3], [2, 3, 4]) as ([UInt64], [UInt64], [UInt64])
        let honest: [UInt64] = [6, 7]
        var world = World()
        for path in [mallory, sybil, third] { world.events.append(.entry(Words(path))) }
        world.events += [.invites(sybil), .opens(sybil), .invites(third), .opens(third), .invites(honest)]
        world.events += [.links(offender), .misbehaves(offender), .blocks(offender), .turnsAway(offender), .restarts]
        try world.explore(length: 4, expecting: offender == mallory ? 532 : 418)
    }

    @Test("A key that two have admitted is judged by its entry and its INVITE (R14.9-5)")
    func twoChains() throws {
        let (mallory, honest) = ([2], [6]) as ([UInt64], [UInt64])
        let (bad, good) = ([2, 5], [6, 5]) as ([UInt64], [UInt64])
        var world = World()
        world.events = [
            .entry(Words(bad)), .entry(Words(good, sequence: 1)), .entry(Words(bad, sequence: 2)),
            .entry(Words(honest)),
            .invites(bad), .invites(good), .opens(bad), .reaches(bad), .links(mallory), .misbehaves(mallory),
            .blocks(mallory), .turnsAway(mallory), .restarts,
        ]
        try world.explore(length: 4, expecting: 325)
    }

    @Test("A member that was turned away, and those that it admits, return when the app asks (R14.9-3, R14.9-5)")
    func back() throws {
        let (mallory, sybil) = ([2], [2, 3]) as ([UInt64], [UInt64])
        var world = World()
        world.events = [
            .entry(Words(mallory)), .entry(Words(mallory, instance: 2_000)), .entry(Words(sybil)),
            .invites(mallory), .opens(mallory), .reaches(mallory), .ends(mallory), .invites(sybil), .reaches(sybil),
            .opens(sybil), .links(mallory), .misbehaves(mallory), .turnsAway(mallory), .declines(mallory),
            .asks(mallory),
            .lifts(mallory), .leavesAndReturns, .minutePasses, .restarts,
        ]
        try world.explore(length: 4, expecting: 376)
    }

    @Test("The founder's faults count for members that nobody else has admitted, and the app is asked (R14.9-5)")
    func founder() throws {
        let (first, second) = ([2], [2, 3]) as ([UInt64], [UInt64])
        var world = World()
        world.events = [
            .entry(Words([])), .entry(Words(first)), .entry(Words(second)), .invites(first), .opens(first),
            .invites(second), .opens(second), .links([]), .misbehaves([]), .blocks([]), .turnsAway([]), .restarts,
        ]
        try world.explore(length: 4, expecting: 308)
    }
}

// MARK: The world

/// What a member says of itself: its path from the founder, and under which number.
private struct Words: Hashable {
    let path: [UInt64]
    let instance: UInt64
    let sequence: UInt64

    init(_ path: [UInt64], instance: UInt64 = 1_000, sequence: UInt64 = 0) {
        (self.path, self.instance, self.sequence) = (path, instance, sequence)
    }
}

/// What can happen. Members are named by a path of seeds: each admits the next, the founder the first.
private enum Event: Hashable {
    /// Somebody sends an entry.
    case entry(Words)
    /// The member invites with the chain of this path.
    case invites([UInt64])
    /// The node's last dial reaches the member, which accepts.
    case reaches([UInt64])
    /// Certificates and verdicts follow: the link opens.
    case opens([UInt64])
    /// Both, one after the other.
    case links([UInt64])
    case misbehaves([UInt64])
    case ends([UInt64])
    // The app
    case blocks([UInt64])
    case turnsAway([UInt64])
    case declines([UInt64])
    case asks([UInt64])
    case lifts([UInt64])
    case leavesAndReturns
    case minutePasses
    case restarts

    var path: [UInt64]? {
        switch self {
        case .entry(let words): words.path
        case .invites(let path), .reaches(let path), .opens(let path), .links(let path), .misbehaves(let path),
            .ends(let path):
            path
        case .blocks(let path), .turnsAway(let path), .declines(let path), .asks(let path), .lifts(let path): path
        case .leavesAndReturns, .minutePasses, .restarts: nil
        }
    }
}

/// How a member is to be met.
private enum Meeting: Int, Comparable {
    case welcome, asked, declined

    static func < (one: Self, other: Self) -> Bool { one.rawValue < other.rawValue }
}

/// What the rules say, derived from the history alone.
private struct Ledger: Hashable {
    private(set) var held: [UInt64: Set<Grudge.Reason>] = [:]
    /// Members to which there has been a link in this run, and those for which the app has asked.
    private var exempt: Set<UInt64> = []
    /// The newest words of each member.
    private(set) var words: [UInt64: Words] = [:]

    static func seed(_ path: [UInt64]) -> UInt64 { path.last ?? 1 }

    func meeting(_ path: [UInt64]) -> Meeting {
        let seed = Self.seed(path)
        let own = meeting(of: seed)
        guard !exempt.contains(seed), seed != 1 else { return own }
        return [path, words[seed]?.path ?? path].reduce(own) { max($0, chain($1)) }
    }

    private func chain(_ path: [UInt64]) -> Meeting {
        guard path.count > 1 else { return min(meeting(of: 1), .asked) }
        return path.dropLast().map(meeting(of:)).max() ?? .welcome
    }

    private func meeting(of seed: UInt64) -> Meeting {
        let reasons = held[seed] ?? []
        if reasons.contains(.blocked) || reasons.contains(.misbehaved) { return .declined }
        return reasons.contains(.turnedAway) ? .asked : .welcome
    }

    mutating func hear(_ new: Words) {
        let seed = Self.seed(new.path)
        if let old = words[seed], (old.instance, old.sequence) >= (new.instance, new.sequence) { return }
        words[seed] = new
    }

    mutating func hold(_ reason: Grudge.Reason, against path: [UInt64]) {
        held[Self.seed(path), default: []].insert(reason)
        if reason == .turnedAway { exempt.remove(Self.seed(path)) }
    }

    /// The app asks for a member; a block stays.
    mutating func ask(for path: [UInt64]) {
        held[Self.seed(path)]?.formIntersection([.blocked])
        exempt.insert(Self.seed(path))
    }

    mutating func lift(_ path: [UInt64]) {
        held[Self.seed(path)] = nil
        exempt.insert(Self.seed(path))
    }

    /// A link was open: the member is judged by what it does from now on.
    mutating func link(_ path: [UInt64]) { exempt.insert(Self.seed(path)) }

    mutating func restart() { exempt = [] }
}

private struct World {
    var events: [Event] = []

    /// Plays all histories up to a length. Of those that lead to one state, the first is continued.
    func explore(length: Int, expecting count: Int, _ location: SourceLocation = #_sourceLocation) throws {
        let signed = try Signed(events)
        var (seen, waiting): (Set<[AnyHashable]>, [[Event]]) = ([], [[]])
        var faults: [(String, [Event])] = []
        for _ in 0..<length {
            var next: [[Event]] = []
            for history in waiting {
                var player: Player?
                for event in events {
                    let judge = try player ?? Player(signed, history)
                    player = judge
                    guard judge.isPossible(event) else { continue }
                    let before = judge.fingerprint
                    try judge.play(event)
                    faults += judge.faults.map { ($0, history + [event]) }
                    let after = judge.fingerprint
                    if after == before, judge.faults.isEmpty { continue }
                    player = nil
                    if judge.faults.isEmpty, seen.insert(after).inserted { next.append(history + [event]) }
                }
            }
            waiting = next
        }
        #expect(faults.first == nil, "\(faults.count)", sourceLocation: location)
        #expect(seen.count == count, sourceLocation: location)
    }
}

/// The entries and chains of a world, signed once.
private struct Signed {
    let sample: SampleSession
    let crypto = Peers.crypto.rememberingSignatures()
    private(set) var chains: [[UInt64]: [Admission]] = [:]
    private(set) var entries: [Words: RosterEntry] = [:]
    private(set) var keys: [UInt64: IdentityKey] = [:]
    let configuration: NodeConfiguration
    static let judge: UInt64 = 9

    init(_ events: [Event]) throws {
        sample = try SampleSession()
        var link = try Peers.configuration("Judge", seed: Self.judge)
        link.crypto = crypto
        (link.timeouts.handshake, link.timeouts.invitation) = (.seconds(86_400), .seconds(86_400))
        var configuration = NodeConfiguration(link: link, memberTerms: SessionTerms(encryption: .optional))
        configuration.milliseconds = 1_700_000_000_000
        self.configuration = configuration
        chains[[Self.judge]] = try sample.chain([Self.judge]).admissions
        for event in events {
            guard let path = event.path else { continue }
            chains[path] = try sample.chain(path).admissions
            keys[Ledger.seed(path)] = try Peers.key(Ledger.seed(path))
            guard case .entry(let words) = event else { continue }
            let seed = Ledger.seed(path)
            let content = RosterEntry.Content(
                member: try Peers.key(seed).rawBytes, instance: words.instance, sequence: words.sequence,
                presence: .present, name: [], addresses: [SimulatedHost.address(of: Int(seed))],
                chain: chains[path] ?? [])
            entries[words] = try VerifiedEntry.signed(
                content, by: try Peers.identity(seed), in: sample.charter, hashing: crypto.hashing
            ).entry
        }
    }
}

/// One history: the node, and what the rules say.
private final class Player {
    private let signed: Signed
    private var node: Node
    private let session: SessionID
    private var now = Instant(nanoseconds: 5_000_000_000)
    private var ledger = Ledger()
    /// The links of members, and the path of the INVITE on each.
    private var links: [UInt64: (link: NodeLink, path: [UInt64])] = [:]
    private var dials: [UInt64: DialNumber] = [:]
    private var questions: Set<LinkNumber> = []
    private(set) var faults: [String] = []

    init(_ signed: Signed, _ history: [Event]) throws {
        self.signed = signed
        let charter = signed.sample.charter
        session = charter.id
        node = Self.node(signed, now)
        _ = try node.join(
            SessionMemory(charter: charter.charter, chain: signed.chains[[Signed.judge]], instance: 1), at: now)
        for event in history { try play(event) }
    }

    private static func node(_ signed: Signed, _ now: Instant) -> Node {
        Node(configuration: signed.configuration, random: SeededRandomSource(seed: 11), now: now)
    }

    private var held: NodeSession? { node.sessions[session] }

    private func key(_ path: [UInt64]) throws -> IdentityKey { try #require(signed.keys[Ledger.seed(path)]) }

    /// The link of a member that has not ended.
    private func link(_ path: [UInt64]) -> NodeLink? {
        links[Ledger.seed(path)].flatMap { $0.link.isAlive ? $0.link : nil }
    }

    func isPossible(_ event: Event) -> Bool {
        switch event {
        case .entry, .blocks, .turnsAway, .leavesAndReturns, .minutePasses, .restarts: true
        case .invites(let path): link(path) == nil
        case .links(let path): link(path) == nil && ledger.meeting(path) == .welcome
        case .reaches(let path): link(path) == nil && dials[Ledger.seed(path)] != nil
        case .opens(let path): link(path).map { $0.isAgreed && !$0.isOpen } ?? false
        case .misbehaves(let path): link(path)?.isOpen ?? false
        case .ends(let path): link(path) != nil
        case .declines(let path): link(path).map { questions.contains($0.number) } ?? false
        case .asks(let path), .lifts(let path): ledger.words[Ledger.seed(path)] != nil
        }
    }

    func play(_ event: Event) throws {
        now = now.advanced(by: .milliseconds(1))
        switch event {
        case .entry(let words):
            ledger.hear(words)
            let entry = try #require(signed.entries[words])
            _ = try held?.membership.take(entry, isFromThisHost: false, at: now)
            node.timeout(at: now)
        case .invites(let path): try invite(path)
        case .reaches(let path): try reach(path)
        case .opens(let path): try open(path)
        case .links(let path):
            try invite(path)
            try open(path)
        case .misbehaves(let path):
            ledger.hold(.misbehaved, against: path)
            if let link = link(path) { node.close(link, .offender) }
            node.timeout(at: now)
        case .ends(let path):
            if let number = link(path)?.number { node.receiveEnd(on: number, at: now) }
        case .blocks(let path):
            ledger.hold(.blocked, against: path)
            node.block(try key(path), at: now)
        case .turnsAway(let path):
            ledger.hold(.turnedAway, against: path)
            node.disconnect(try key(path), in: session, at: now)
        case .declines(let path):
            ledger.hold(.turnedAway, against: path)
            try node.decline(try #require(link(path)).number, at: now)
        case .asks(let path):
            ledger.ask(for: path)
            try node.dial(try key(path), in: session, at: now)
        case .lifts(let path):
            ledger.lift(path)
            node.unblock(try key(path), at: now)
        case .leavesAndReturns:
            try node.leave(session, at: now)
            try node.comeBack(to: session, at: now)
        case .minutePasses:
            now = now.advanced(by: .seconds(61))
            node.timeout(at: now)
        case .restarts: try restart()
        }
        try drain()
    }

    /// A peer has connected with its key, and invites.
    private func invite(_ path: [UInt64]) throws {
        let number = node.opened(expecting: try key(path), at: now)
        let link = try #require(node.links[number])
        links[Ledger.seed(path)] = (link, path)
        let invite = Invite(
            charter: signed.sample.charter.charter, sessionKind: .members, preference: .optional, identityKind: .none,
            timeout: 30_000, context: [], chain: signed.chains[path])
        let meeting = ledger.meeting(path)
        node.take(
            .invited(LinkToken(number: 1), ReceivedInvitation(invite, hashing: signed.crypto.hashing)), of: link)
        node.timeout(at: now)
        try drain()
        let met: Meeting =
            link.declined == .declined ? .declined : questions.contains(number) ? .asked : .welcome
        if met != meeting || met == .welcome && !link.isAgreed { faults.append("\(met) in place of \(meeting)") }
    }

    private func reach(_ path: [UInt64]) throws {
        guard let dial = dials.removeValue(forKey: Ledger.seed(path)), let number = node.connected(dial, at: now),
            let link = node.links[number], case .preparing(let own) = link.state
        else { return }
        let path = ledger.words[Ledger.seed(path)]?.path ?? path
        links[Ledger.seed(path)] = (link, path)
        if ledger.meeting(path) != .welcome { faults.append("continues to dial \(path)") }
        // PROOF has come.
        link.state = .inviting(own)
        node.take(.invitationAccepted(.encrypted), of: link)
        node.timeout(at: now)
    }

    private func open(_ path: [UInt64]) throws {
        let (link, path) = try #require(links[Ledger.seed(path)])
        let meeting = ledger.meeting(path)
        let summary = LinkSummary(
            peer: PeerID(key: try key(path), displayName: nil), trust: .firstUse, encryption: .encrypted,
            suite: .chaChaPoly, session: session, charter: signed.sample.charter.charter,
            handshakeHash: Digest(exactly: [UInt8](repeating: 0, count: Digest.length)), peerMaximumMessage: 1)
        node.take(.opened(summary), of: link)
        node.timeout(at: now)
        let isOpen = link.isAlive && link.isOpen
        if isOpen != (meeting == .welcome) { faults.append("\(isOpen ? "open" : "closed") though \(meeting)") }
        if isOpen { ledger.link(path) }
    }

    private func restart() throws {
        let kept = node.memory(of: session)
        let memory = try #require(kept)
        if memory.grudges.count > SessionMemory.mostGrudges { faults.append("too many grudges") }
        node = Self.node(signed, now)
        (links, dials, questions) = ([:], [:], [])
        ledger.restart()
        _ = try node.join(memory, at: now)
    }

    private func drain() throws {
        while let effect = node.nextEffect() {
            switch effect {
            case .dial(let number, let address):
                let seed = UInt64(address.value[3])
                dials[seed] = number
                let path = try #require(ledger.words[seed]).path
                if ledger.meeting(path) != .welcome { faults.append("dials \(path)") }
            case .cancelDial(let number): dials = dials.filter { $0.value != number }
            case .invited(let link, _, _): questions.insert(link)
            default: break
            }
        }
    }

    /// What there is to see of the state. Times that went by are no part of it.
    var fingerprint: [AnyHashable] {
        var state: [AnyHashable] = [ledger]
        for (seed, key) in signed.keys.sorted(by: { $0.key < $1.key }) {
            let record = held?.record(of: key)
            state += [record?.avoidance, record?.isAskedFor, record?.hasBeenLinked] as [AnyHashable]
            state += [record?.plan.due == nil] as [AnyHashable]
            state += [dials[seed] == nil, held?.entry(of: key)?.version, held?.isTurnedAway(key)] as [AnyHashable]
            guard let (link, path) = links[seed], link.isAlive else { continue }
            state += [path, link.isAgreed, link.isOpen, questions.contains(link.number)] as [AnyHashable]
        }
        return state
    }
}
