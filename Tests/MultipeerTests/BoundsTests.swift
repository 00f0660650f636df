import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTestSupport
import Synchronization
import Testing

@testable import Multipeer

@Suite("Bounds on strangers, SPEC §19", .endsIfItHangs)
struct BoundsTests {
    @Test("Of one address's strangers an app is asked about four at a time, and of another address at once")
    func crowd() async throws {
        let clock = ManualClock()
        let asked = Mutex(0)
        let anna = try await Friend(
            "Anna", clock: clock,
            admits: { _ in
                asked.withLock { $0 += 1 }
                await untilCancelled()
                return false
            })
        let strangers = try await Self.strangers(30)
        let joining = strangers.map { stranger in
            Task { _ = try? await Session(of: stranger, trust: .everyone).join(anna.address) }
        }
        try await eventually { await anna.visitors() == strangers.count }
        clock.advance(by: Self.courtesy)
        // About each of them the app was asked, or was not.
        try await eventually { asked.withLock { $0 } + anna.refusals == strangers.count }
        #expect(asked.withLock { $0 } == 4)
        let port = anna.port
        let relay = try Relay(from: "127.0.0.2", to: port)
        let ben = try await Peer.temporary(named: "Ben", options: PeerOptions(clock: ManualClock()))
        let other = Task { _ = try? await Session(of: ben, trust: .everyone).join(relay.address) }
        // The others heard that nobody is asked about them, and have gone.
        try await eventually { await anna.visitors() == 5 }
        clock.advance(by: Self.courtesy)
        try await eventually { asked.withLock { $0 } == 5 }
        for task in joining + [other] { task.cancel() }
    }

    @Test("An app is asked four times in a minute about one peer that it declines")
    func pest() async throws {
        let (clock, answers) = (ManualClock(), Answers([]))
        let anna = try await Friend("Anna", clock: clock, admits: { _ in answers.next() })
        let pest = try await Peer.temporary(named: "Pest", options: PeerOptions(clock: ManualClock()))
        func come() async throws -> Task<Member, any Error> {
            try await eventually { await anna.visitors() == 0 }
            let visit = Task { try await Session(of: pest, trust: .everyone).join(anna.address) }
            try await eventually { await anna.visitors() == 1 }
            clock.advance(by: Self.courtesy)
            return visit
        }
        // Each of these ends by the app's answer.
        for count in 1...4 {
            let visit = try await come()
            await #expect(throws: MultipeerError.self) { try await visit.outcome() }
            #expect(answers.asked == count)
        }
        // Nobody is asked about these, and the peer hears so.
        let tooOften = LinkFailure(stage: .identified, cause: .peerClosed(.limitExceeded))
        for count in 1...3 {
            let visit = try await come()
            await #expect(throws: MultipeerError.connection(.link(tooOften))) { try await visit.outcome() }
            #expect(answers.asked == 4 && anna.refusals == count)
        }
        #expect(
            MultipeerError.connection(.link(tooOften)).description.contains("about you so often. Wait"))
        // A minute later it may ask again.
        clock.advance(by: .seconds(60))
        let visit = try await come()
        await #expect(throws: MultipeerError.self) { try await visit.outcome() }
        #expect(answers.asked == 5)
        #expect(anna.seen.events.isEmpty)
    }

    /// Whether it invites before that, in that moment or after it, is left to chance.
    @Test("Of five links of one peer without an invitation the oldest makes room, and its call hears why")
    func manyLinksOfOne() async throws {
        for _ in 1...10 {
            let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben", clock: ManualClock()))
            var places = PeerPlaces([ben.address])
            places.name = try DisplayName("Benjamin")
            let (gate, inviting, session) = (Gate(), places, anna.session)
            let first = Task {
                try await session.invite(
                    inviting, context: [], timeout: .seconds(60),
                    whereRenamed: { _ in
                        await gate.wait()
                        return true
                    })
            }
            try await eventually { gate.isReached }
            let joining = (1...4).map { _ in
                Task { _ = try? await Session(of: anna.peer, trust: .everyone).join(ben.address) }
            }
            try await eventually { anna.links >= 4 }
            gate.open()
            do {
                _ = try await first.outcome()
            } catch let error as MultipeerError {
                guard case .link(let failure) = error.cause, failure.cause == .peerClosed(.limitExceeded) else {
                    throw error
                }
            }
            for task in joining { task.cancel() }
        }
    }

    @Test("Strangers that withhold their own verdict use up no first uses")
    func withheldVerdicts() async throws {
        let limiter = FirstUseLimiter(overall: FirstUseLimiter.Rate(burst: 1, interval: .seconds(3_600)))
        let store = InMemoryKnownPeers()
        let anna = try await Friend(
            "Anna", trust: .validator(TrustOnFirstUseValidator(store: store, limiter: limiter)), admits: { _ in true })
        let silence = ApplicationValidator { _ in
            await untilCancelled()
            return .rejected(.refusedByApplication)
        }
        let mallory = try await Peer.temporary(named: "Mallory", options: PeerOptions(clock: ManualClock()))
        let inviting = Task { _ = try? await Session(of: mallory, trust: .validator(silence)).join(anna.address) }
        try await eventually { await anna.stages().contains(.certificates) }
        let ben = try await Friend("Ben")
        let member = try await ben.session.join(anna.address)
        #expect(member.id == anna.id)
        #expect(await store.all().map(\.name.description) == ["Ben"])
        inviting.cancel()
    }

    @Test("Silent peers do not block new connections, from however many addresses they come")
    func silence() async throws {
        // Her clock does not advance: on a busy machine those that came first would end by their deadline before the
        // last have come.
        let (anna, ben) = (try await Friend("Anna", clock: ManualClock()), try await Friend("Ben"))
        let addresses = (2...6).map { "127.0.0.\($0)" }
        let sockets = try SilentSockets(30, from: addresses, to: anna.address)
        // All of them have come, and those that had to yield have gone.
        try await eventually { anna.links == ListenerLimits().halfOpen }
        let member = try await ben.session.invite(anna.address)
        #expect(member.id == anna.id)
        withExtendedLifetime(sockets) {}
    }

    /// How long a peer that has connected may take to invite before the app is asked.
    private static let courtesy: Duration = .milliseconds(500)

    @Test("A peer that is accepted each time may come as often as it likes")
    func friend() async throws {
        let clock = ManualClock()
        let asked = Mutex(0)
        let anna = try await Friend(
            "Anna", clock: clock,
            admits: { _ in
                asked.withLock { $0 += 1 }
                return true
            })
        let ben = try await Peer.temporary(named: "Ben", options: PeerOptions(clock: ManualClock()))
        for count in 1...6 {
            let session = Session(of: ben, trust: .everyone)
            let visit = Task { try await session.join(anna.address) }
            try await eventually { await anna.visitors() == 1 }
            clock.advance(by: Self.courtesy)
            #expect(try await visit.outcome().id == anna.id)
            #expect(asked.withLock { $0 } == count)
            await session.leave()
            try await eventually { await anna.visitors() == 0 && anna.connected.isEmpty }
        }
    }

    @Test("Invitations are questions too: an app that never answers holds a bounded number of them")
    func invitations() async throws {
        let waiting = Questions()
        let anna = try await Friend(
            "Anna", clock: ManualClock(),
            accepts: { _ in
                await waiting.ask()
                return false
            })
        let strangers = try await Self.strangers(60)
        let places = ListenerLimits().unopenedPerAddress
        let invite: @Sendable (Peer) -> Task<Void, Never> = { stranger in
            Task {
                _ = try? await Session(of: stranger, trust: .everyone).invite(anna.address)
                waiting.noteEnd()
            }
        }
        var inviting = strangers.prefix(places).map(invite)
        try await eventually { waiting.count.all == places }
        // A newer link takes the place of an older one, whose question is withdrawn: `places` of them wait at a time
        // (ListenerLimits). Of these some come and go before they have invited.
        inviting += strangers.dropFirst(places).map(invite)
        try await eventually { waiting.ended >= strangers.count - places && waiting.count.now >= places }
        #expect(waiting.count.most == places && waiting.count.all > places)
        #expect(waiting.ended == strangers.count - places)
        #expect(anna.connected.isEmpty)
        for task in inviting { task.cancel() }
    }

    /// Peers whose own time does not advance: none of them gives up.
    private static func strangers(_ count: Int) async throws -> [Peer] {
        var peers: [Peer] = []
        for number in 1...count {
            peers.append(
                try await Peer.temporary(named: "Stranger \(number)", options: PeerOptions(clock: ManualClock())))
        }
        return peers
    }
}

/// Questions that nobody answers. One is over in the moment in which it is withdrawn, whenever its task hears of it.
private final class Questions: Sendable {
    private let state = Mutex((now: 0, most: 0, all: 0))
    /// How many of those that asked have given up.
    private let ends = Atomic(0)
    private enum Stage { case new, asked, withdrawn }

    var count: (now: Int, most: Int, all: Int) { state.withLock { $0 } }

    var ended: Int { ends.load(ordering: .relaxed) }
    func noteEnd() { ends.add(1, ordering: .relaxed) }

    func ask() async {
        let stage = Mutex(Stage.new)
        await withTaskCancellationHandler {
            stage.withLock { stage in
                guard stage == .new else { return }
                stage = .asked
                state.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
            }
            await untilCancelled()
        } onCancel: {
            stage.withLock { stage in
                if stage == .asked { state.withLock { $0.now -= 1 } }
                stage = .withdrawn
            }
        }
    }
}
