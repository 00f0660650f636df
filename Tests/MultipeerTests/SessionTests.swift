import Multipeer
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTestSupport
import MultipeerWire
import Synchronization
import Testing

@Suite("Sessions of apps over sockets, SPEC §14", .endsIfItHangs)
struct SessionTests {
    @Test("An invited peer is connected with all members, and messages arrive once and in order")
    func three() async throws {
        let (anna, ben, cleo) = (try await Friend("Anna"), try await Friend("Ben"), try await Friend("Cleo"))
        try await anna.session.invite(ben.address)
        try await anna.session.invite(cleo.address)
        try await ben.waits(for: ["Anna", "Cleo"])
        try await cleo.waits(for: ["Anna", "Ben"])
        let texts = (1...200).map { "line \($0)" }
        for text in texts {
            for friend in [anna, ben, cleo] {
                #expect(try await friend.session.send(text).count == 2)
            }
        }
        for (friend, others) in [(anna, ["Ben", "Cleo"]), (ben, ["Anna", "Cleo"]), (cleo, ["Anna", "Ben"])] {
            for other in others { try await eventually { friend.seen.texts(from: other) == texts } }
        }
        let statistics = try #require(await anna.session.statistics(of: ben.id))
        #expect(statistics.messagesSent == 200 && statistics.messagesReceived == 200)
        #expect(statistics.messageBytesSent == UInt64(texts.reduce(0) { $0 + $1.utf8.count }))
    }

    @Test("Nobody is asked about an invitation that cannot succeed, and both peers learn why (R8.2-9)")
    func incompatible() async throws {
        let asked = Mutex(0)
        let anna = try await Friend("Anna", encryption: .none)
        let ben = try await Friend(
            "Ben",
            accepts: { _ in
                asked.withLock { $0 += 1 }
                return true
            })
        let error = await #expect(throws: MultipeerError.self) { try await anna.session.invite(ben.address) }
        guard case .link(let failure) = error?.cause else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.cause == .incompatible(.encryptionPolicy(local: .none, remote: .required)))
        #expect(asked.withLock { $0 } == 0)
        // A peer that can agree is asked as ever.
        let cleo = try await Friend("Cleo", encryption: .optional)
        try await cleo.session.invite(ben.address)
        #expect(asked.withLock { $0 } == 1)
    }

    @Test("A peer that asks a member for an invitation joins the whole session")
    func joining() async throws {
        let anna = try await Friend("Anna", admits: { _ in true })
        let (ben, cleo) = (try await Friend("Ben", admits: { _ in true }), try await Friend("Cleo"))
        try await ben.session.join(anna.address)
        let asked = try await cleo.session.join(ben.address)
        #expect(asked.name == "Ben")
        try await anna.waits(for: ["Ben", "Cleo"])
        try await cleo.waits(for: ["Anna", "Ben"])
    }

    @Test("A message for one is sent to nobody else, and the error names a missing peer")
    func recipients() async throws {
        let (anna, ben, cleo) = (try await Friend("Anna"), try await Friend("Ben"), try await Friend("Cleo"))
        try await anna.session.invite(ben.address)
        let error = await #expect(throws: SendError.self) {
            try await anna.session.send("secret", to: .only([ben.id, cleo.id]))
        }
        #expect(error?.failures == [SendError.Failure(peer: cleo.id, reason: .sending(.notConnected))])
        let delivery = try #require(error?.deliveries.first)
        #expect(try await delivery.outcome() == .delivered && delivery.peer == ben.id && delivery.result == .delivered)
        try await eventually { ben.seen.texts(from: "Anna") == ["secret"] }
        #expect(cleo.seen.events.isEmpty)
    }

    @Test("A member that leaves is distinguished, and returns by another invitation into the same session")
    func leaving() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
        try await anna.session.invite(ben.address)
        // A peer that leaves before it was admitted only closes.
        try await ben.waits(for: ["Anna"])
        try await ben.session.send("hello")
        try await eventually { anna.seen.texts(from: "Ben") == ["hello"] }
        await ben.session.leave()
        try await anna.waits(for: [])
        try await eventually { anna.seen.reasons(for: "Ben").map(\.departure) == [.left] }
        #expect(anna.seen.reasons(for: "Ben").first?.isRetried == false)
        // The same peer with a new session, and the local peer with the old one.
        let again = try await Friend("Ben", peer: ben.peer)
        try await anna.session.invite(again.address)
        try await anna.waits(for: ["Ben"])
        #expect(anna.seen.comings == ["+Ben", "-Ben", "+Ben"])
    }

    @Test("A disconnected member can be invited again at once")
    func disconnecting() async throws {
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben"))
        try await anna.session.invite(ben.address)
        await anna.session.disconnect(ben.id)
        try await ben.waits(for: [])
        try await eventually { anna.seen.reasons(for: "Ben").map(\.departure) == [.closed] }
        guard case .notConnected(let reason) = anna.session.state(of: ben.id) else {
            Issue.record("still connected")
            return
        }
        #expect(reason?.departure == .closed)
        try await anna.session.invite(ben.address)
        #expect(anna.session.state(of: ben.id) == .connected)
        #expect(anna.connected == ["Ben"])
    }

    @Test("A call that is cancelled while it succeeds leaves a lasting member, or nobody")
    func cancelled() async throws {
        let ben = try await Friend("Ben")
        for round in 0..<60 {
            let anna = try await Friend("Anna")
            let call = Task { try? await anna.session.invite(ben.address) }
            if round.isMultiple(of: 3) {
                // Somewhere between the beginning and the end of it.
                for _ in 0..<(round * round) { await Task.yield() }
            } else {
                try await eventually { !anna.connected.isEmpty }
            }
            call.cancel()
            if let member = await call.value {
                #expect(member.id == ben.id && anna.connected == ["Ben"])
                _ = try await anna.session.send("round \(round)")
                try await eventually { ben.seen.texts(from: "Anna").last == "round \(round)" }
                #expect(anna.seen.comings == ["+Ben"])
            } else {
                #expect(anna.connected.isEmpty && anna.seen.comings.isEmpty)
            }
            await anna.session.leave()
            try await ben.waits(for: [])
        }
    }

    @Test("A refusal is reported, is not repeated, and the next invitation can be accepted")
    func declining() async throws {
        let answers = Answers([false, true])
        let (anna, ben) = (try await Friend("Anna"), try await Friend("Ben", accepts: { _ in answers.next() }))
        await #expect { try await anna.session.invite(ben.address, context: "lunch") } throws: { error in
            guard case .link(let failure) = (error as? MultipeerError)?.cause else { return false }
            return failure.cause == .invitation(.declinedByPeer)
        }
        #expect(answers.asked == 1)
        try await anna.session.invite(ben.address)
        #expect(answers.asked == 2 && anna.connected == ["Ben"])
    }

    @Test("Errors of connecting name a remedy")
    func errors() async throws {
        let anna = try await Friend("Anna")
        await #expect(throws: MultipeerError.self) { try await anna.session.invite(.tcp(host: "127.0.0.1", port: 9)) }
        #expect { try Endpoint(parsing: "nowhere") } throws: { error in
            (error as? EndpointSyntaxError)?.description == "address: there is no port. "
                + "Give HOST:PORT, [IPv6 address]:PORT or unix:PATH"
        }
        await #expect { try await anna.session.listen(at: anna.address) } throws: { error in
            (error as? MultipeerError)?.description == "listening: somebody else listens there. "
                + "Choose another port, or end the program that listens there"
        }
    }

    @Test("Only peers that the session trusts are trusted")
    func trust() async throws {
        let anna = try await Friend("Anna")
        let ben = try await Friend("Ben", trust: .pinned([.identity(anna.id.key)]))
        let cleo = try await Friend("Cleo")
        let member = try await anna.session.invite(ben.address)
        #expect(!member.isVerified, "the local session trusts everybody")
        try await ben.waits(for: ["Anna"])
        #expect(ben.session.connectedPeers.first?.isVerified == true)
        // Anna may admit Cleo; Ben has a verdict of his own.
        try await anna.session.invite(cleo.address)
        try await anna.waits(for: ["Ben", "Cleo"])
        // Whether an app hears of the attempt before it has failed, is left to chance; why there is no connection, it can always ask.
        try await eventually { Self.hasFailed(ben, to: cleo) || Self.hasFailed(cleo, to: ben) }
        #expect(ben.connected == ["Anna"] && cleo.connected == ["Anna"])
    }

    private static func hasFailed(_ friend: Friend, to other: Friend) -> Bool {
        if case .notConnected(.some) = friend.session.state(of: other.id) { true } else { false }
    }

    @Test("A lost member returns by itself when it can, with the same identity")
    func reconnecting() async throws {
        let (anna, ben, cleo) = (try await Friend("Anna"), try await Friend("Ben"), try await Friend("Cleo"))
        try await anna.session.invite(ben.address)
        try await anna.session.invite(cleo.address)
        try await ben.waits(for: ["Anna", "Cleo"])
        await ben.vanish()
        try await anna.waits(for: ["Cleo"])
        try await cleo.waits(for: ["Anna"])
        #expect(anna.connected == ["Cleo"])
    }

    @Test("A full session admits nobody, and says so")
    func fullSession() async throws {
        let anna = try await Friend("Anna", maximumMembers: 2)
        let (ben, cleo) = (try await Friend("Ben"), try await Friend("Cleo"))
        try await anna.session.invite(ben.address)
        await #expect { try await anna.session.invite(cleo.address) } throws: { error in
            (error as? MultipeerError)?.cause == .request(.sessionFull)
        }
        #expect(anna.connected == ["Ben"])
    }

    @Test("A member of a full session joins no other one beside it: a peer that invites it hears that there is no room")
    func fullSessionAccepts() async throws {
        let anna = try await Friend("Anna", maximumMembers: 2)
        let (ben, cleo) = (try await Friend("Ben"), try await Friend("Cleo"))
        try await anna.session.invite(ben.address)
        for full in [anna, ben] {
            await #expect { try await cleo.session.invite(full.address) } throws: { error in
                (error as? MultipeerError)?.code == .sessionFull
            }
        }
        #expect(anna.connected == ["Ben"] && ben.connected == ["Anna"] && cleo.connected.isEmpty)
        await ben.session.leave()
        try await anna.waits(for: [])
        try await anna.session.invite(cleo.address)
    }

    @Test("A member among others accepts an invitation and stays with them: all are in one session")
    func occupied() async throws {
        let (anna, ben, cleo) = (try await Friend("Anna"), try await Friend("Ben"), try await Friend("Cleo"))
        try await anna.session.invite(ben.address)
        try await cleo.session.invite(ben.address)
        for (friend, others) in [(anna, ["Ben", "Cleo"]), (ben, ["Anna", "Cleo"]), (cleo, ["Anna", "Ben"])] {
            try await friend.waits(for: others)
        }
        try await eventually { anna.seen.comings.count == 2 && ben.seen.comings.count == 2 }
        #expect(anna.seen.comings == ["+Ben", "+Cleo"] && ben.seen.comings == ["+Anna", "+Cleo"])
    }

    @Test("A session that is left removes its own address, and not those of the peer's other sessions")
    func addresses() async throws {
        let (anna, scratch) = (try await Friend("Anna"), try Scratch())
        let ben = try await Friend("Ben", admits: { _ in true })
        let second = try await Friend("Anna", peer: anna.peer)
        try await anna.session.invite(ben.address)
        await second.session.leave()
        // Nobody can dial Cleo, who has to find Anna by what Anna says.
        let cleo = try await Friend("Cleo", at: .unixSocket(path: scratch / "cleo"))
        try await cleo.session.join(ben.address)
        try await cleo.waits(for: ["Anna", "Ben"])
    }

    @Test("A peer takes part in two sessions at once")
    func twoSessions() async throws {
        let anna = try await Friend("Anna")
        let second = try await Friend("Anna", peer: anna.peer)
        let (ben, cleo) = (try await Friend("Ben"), try await Friend("Cleo"))
        try await ben.session.invite(anna.address)
        try await cleo.session.invite(second.address)
        try await anna.waits(for: ["Ben"])
        try await second.waits(for: ["Cleo"])
        try await anna.session.send("to Ben")
        try await second.session.send("to Cleo")
        try await eventually {
            ben.seen.texts(from: "Anna") == ["to Ben"] && cleo.seen.texts(from: "Anna") == ["to Cleo"]
        }
    }
}

/// Answers that are given one after the other.
final class Answers: Sendable {
    private let state: Mutex<(left: [Bool], asked: Int)>

    init(_ answers: [Bool]) { state = Mutex((answers, 0)) }

    func next() -> Bool {
        state.withLock { state in
            state.asked += 1
            return state.left.isEmpty ? false : state.left.removeFirst()
        }
    }

    /// The next answer of somebody who has to hear that nobody waits for it any more.
    func nextOnceCancelled() async -> Bool {
        let answer = next()
        await untilCancelled()
        return answer
    }

    var asked: Int { state.withLock { $0.asked } }
}
