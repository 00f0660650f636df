import MultipeerCore
import MultipeerNIO
import MultipeerTestSupport
import Synchronization
import Testing

@testable import Multipeer

@Suite("Connections that break and come back, SPEC §13.9", .endsIfItHangs)
struct ReconnectingTests {
    /// Anna, who has connected to Ben over a cable that can be pulled.
    private struct Pair {
        let anna: Friend
        let ben: Friend
        let cable: LooseCable
    }

    /// - Parameter listens: Whether Ben can connect to Anna as well, past the cable.
    private static func pair(
        grace: Duration = .seconds(60), inbox: String? = nil, listens: Bool = false
    ) async throws -> Pair {
        var options = PeerOptions()
        options.grace = grace
        let ben = try await Friend("Ben", peer: try await Peer.temporary(named: "Ben", options: options), inbox: inbox)
        let anna = try await Friend(
            "Anna", peer: try await Peer.temporary(named: "Anna", options: options), listens: listens)
        let cable = try LooseCable(before: ben.port)
        try await anna.session.invite(.tcp(host: "127.0.0.1", port: cable.port))
        try await ben.waits(for: ["Anna"])
        return Pair(anna: anna, ben: ben, cable: cable)
    }

    /// How often a friend has heard that a connection was lost, and came back.
    private static func losses(of friend: Friend) -> (lost: Int, back: Int) {
        friend.seen.events.reduce(into: (0, 0)) { count, event in
            switch event {
            case .reconnecting: count.0 += 1
            case .connected: count.1 += 1
            default: break
            }
        }
    }

    @Test("What is sent while the cable is out arrives when it is in again, and the apps hear of both")
    func pulled() async throws {
        let pair = try await Self.pair()
        let (anna, ben) = (pair.anna, pair.ben)
        pair.cable.pull()
        try await eventually { Self.losses(of: anna).lost == 1 && Self.losses(of: ben).lost == 1 }
        #expect(anna.session.state(of: ben.id) == .reconnecting && anna.connected == ["Ben"])
        let deliveries = try await anna.session.send("one")
        try await ben.session.send("two")
        // What is for now or never is not sent later.
        #expect(try anna.session.trySend(Array("dropped".utf8), to: ben.id) == nil)
        async let stream = anna.session.openStream(named: "waits", to: ben.id, isOneWay: true)
        pair.cable.plug()
        try await eventually { ben.seen.texts(from: "Anna") == ["one"] && anna.seen.texts(from: "Ben") == ["two"] }
        #expect(try await deliveries.first?.outcome() == .delivered)
        try await eventually { Self.losses(of: anna).back == 2 && Self.losses(of: ben).back == 2 }
        #expect(anna.session.state(of: ben.id) == .connected)
        try await stream.write(Array("bytes".utf8))
        try await stream.finish()
        try await eventually { ben.seen.streams.count == 1 }
        var bytes: [UInt8] = []
        for try await part in try #require(ben.seen.streams.first).bytes { bytes += part }
        #expect(bytes == Array("bytes".utf8))
        #expect(anna.seen.comings == ["+Ben", "+Ben"])
        // The end of a connection is that of its last link.
        let connection = try #require(anna.session.core.member(ben.id.key)?.connection)
        await anna.session.leave()
        await connection.waitUntilClosed()
    }

    @Test("Ben connects to Anna, where she listens, while the cable stays out")
    func otherWay() async throws {
        let pair = try await Self.pair(listens: true)
        let (anna, ben) = (pair.anna, pair.ben)
        try await eventually { await ben.knowsAddress(of: anna) }
        pair.cable.pull()
        try await eventually { Self.losses(of: anna).back >= 2 && Self.losses(of: ben).back >= 2 }
        try await anna.session.send("one")
        try await ben.session.send("two")
        try await eventually { ben.seen.texts(from: "Anna") == ["one"] && anna.seen.texts(from: "Ben") == ["two"] }
        #expect(!anna.seen.comings.contains("-Ben") && !ben.seen.comings.contains("-Anna"))
    }

    @Test("Messages, a file and a stream survive a cable that is shaken all the time")
    func shaken() async throws {
        let scratch = try Scratch()
        try scratch.write("in/.keep", [])
        let content = (0..<40_000_000).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ $0 >> 9) }
        let path = try scratch.write("big", content)
        let pair = try await Self.pair(inbox: scratch / "in")
        let (anna, ben) = (pair.anna, pair.ben)
        let texts = (1...300).map { "line \($0)" }
        let progress = Mutex<UInt64>(0)
        async let file = anna.session.sendFile(path, to: ben.id) { event in
            if case .progress(let news) = event { progress.withLock { $0 = max($0, news.transferred) } }
        }
        async let chat: Void = {
            for text in texts { try await anna.session.send(text) }
        }()
        async let answers: Void = {
            for text in texts { try await ben.session.send(text) }
        }()
        let stream = try await ben.session.openStream(named: "long", to: anna.id, isOneWay: true)
        async let written: Void = {
            for part in 0..<200 { try await stream.write([UInt8](repeating: UInt8(part), count: 10_000)) }
            try await stream.finish()
        }()
        async let read = {
            try await eventually { anna.seen.streams.count == 1 }
            var bytes: [UInt8] = []
            for try await part in try #require(anna.seen.streams.first).bytes { bytes += part }
            return bytes
        }()
        for cut in 1...8 {
            // Each time something more has gone.
            try await eventually { progress.withLock { $0 } >= UInt64(cut) * 4_000_000 }
            pair.cable.shake()
            try await eventually { Self.losses(of: anna).back > cut }
        }
        _ = try await file
        _ = try await (chat, answers, written)
        try await eventually { ben.seen.texts(from: "Anna") == texts && anna.seen.texts(from: "Ben") == texts }
        try await eventually { !ben.seen.stored.isEmpty }
        let stored = try #require(ben.seen.stored.first)
        #expect(try scratch.read("in/big") == content && stored.size == 40_000_000)
        #expect(try await read == (0..<200).flatMap { [UInt8](repeating: UInt8($0), count: 10_000) })
        #expect(ben.seen.transferErrors.isEmpty && !anna.seen.comings.contains("-Ben"))
    }

    @Test("A connection that does not come back within the grace time is lost, and its messages have a result")
    func lost() async throws {
        let pair = try await Self.pair(grace: .milliseconds(300))
        let (anna, ben) = (pair.anna, pair.ben)
        pair.cable.pull()
        try await eventually { Self.losses(of: anna).lost == 1 }
        let deliveries = (try? await anna.session.send("never")) ?? []
        try await eventually { anna.seen.comings == ["+Ben", "-Ben"] && ben.seen.comings == ["+Anna", "-Anna"] }
        #expect(anna.seen.reasons(for: "Ben").map(\.departure) == [.lost])
        for delivery in deliveries { #expect(try await delivery.outcome() == .notSent) }
        await #expect(throws: MultipeerError.self) { try await anna.session.openStream(named: "late", to: ben.id) }
    }

    @Test("An app that leaves meanwhile waits for nobody, and the peer is not connected any more after its grace time")
    func left() async throws {
        let pair = try await Self.pair(grace: .seconds(2))
        pair.cable.pull()
        try await eventually { Self.losses(of: pair.anna).lost == 1 && Self.losses(of: pair.ben).lost == 1 }
        await pair.anna.session.leave()
        pair.cable.plug()
        try await eventually { pair.ben.seen.comings == ["+Anna", "-Anna"] }
    }

    @Test("With a grace time of 0 a connection that breaks is lost at once")
    func none() async throws {
        let pair = try await Self.pair(grace: .zero)
        pair.cable.shake()
        try await eventually { pair.anna.seen.comings.prefix(2) == ["+Ben", "-Ben"] }
        #expect(Self.losses(of: pair.anna).lost == 0)
    }
}
