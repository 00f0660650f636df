import Multipeer
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTestSupport
import Synchronization
import Testing

@Suite("What strangers can make an app do, SPEC §19", .timeLimit(.minutes(2)))
struct BoundsTests {
    @Test("Of strangers of one address an app is asked about four at a time, and about one of another address at once")
    func crowd() async throws {
        let asked = Mutex(0)
        let anna = try await Friend(
            "Anna",
            admits: { _ in
                asked.withLock { $0 += 1 }
                await untilCancelled()
                return false
            })
        let strangers = try await Self.strangers(30)
        let joining = strangers.map { stranger in
            Task { _ = try? await Session(of: stranger, trust: .everyone).join(anna.address) }
        }
        try await eventually { asked.withLock { $0 } == 4 }
        // Whoever else was going to ask has done so by then.
        try await Task.sleep(for: .seconds(1))
        #expect(asked.withLock { $0 } == 4)
        let port = try #require(anna.address.split(separator: ":").last.flatMap { Int($0) })
        let relay = try Relay(from: "127.0.0.2", to: port)
        let ben = try await Peer.temporary(named: "Ben")
        let other = Task { _ = try? await Session(of: ben, trust: .everyone).join(relay.address) }
        try await eventually { asked.withLock { $0 } == 5 }
        for task in joining + [other] { task.cancel() }
    }

    @Test("An app is asked four times in a minute about one peer, which is turned away")
    func pest() async throws {
        let answers = Answers([])
        let anna = try await Friend("Anna", admits: { _ in answers.next() })
        let pest = try await Peer.temporary(named: "Pest")
        // Each of these ends by the app's answer.
        for _ in 1...4 {
            await #expect(throws: ConnectionError.self) {
                try await Session(of: pest, trust: .everyone).join(anna.address)
            }
        }
        #expect(answers.asked == 4)
        // These have no answer: nobody is asked.
        for _ in 1...3 {
            let attempt = Task { _ = try? await Session(of: pest, trust: .everyone).join(anna.address) }
            try await Task.sleep(for: .milliseconds(900))
            attempt.cancel()
            await attempt.value
        }
        #expect(answers.asked == 4)
        #expect(anna.seen.events.isEmpty)
    }

    @Test("Invitations are questions too: an app that never answers holds a bounded number of them")
    func invitations() async throws {
        let waiting = Mutex((now: 0, most: 0, all: 0))
        let anna = try await Friend(
            "Anna",
            accepts: { _ in
                waiting.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.all + 1) }
                await untilCancelled()
                waiting.withLock { $0.now -= 1 }
                return false
            })
        let strangers = try await Self.strangers(60)
        let places = ListenerLimits().unopenedPerAddress
        let invite: @Sendable (Peer) -> Task<Void, Never> = { stranger in
            Task { _ = try? await Session(of: stranger, trust: .everyone).invite(anna.address) }
        }
        var inviting = strangers.prefix(places).map(invite)
        try await eventually { waiting.withLock { $0.all } == places }
        // A newer link takes the place of an older one, whose question is withdrawn: so many wait at a time (ListenerLimits). Of
        // these some come and go before they have invited.
        inviting += strangers.dropFirst(places).map(invite)
        try await eventually { waiting.withLock { $0.all } > places }
        try await Task.sleep(for: .seconds(1))
        #expect(waiting.withLock { $0.most } <= places)
        #expect(anna.connected.isEmpty)
        for task in inviting { task.cancel() }
    }

    private static func strangers(_ count: Int) async throws -> [Peer] {
        var peers: [Peer] = []
        for number in 1...count { peers.append(try await Peer.temporary(named: "Stranger \(number)")) }
        return peers
    }
}
