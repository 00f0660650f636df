import MultipeerNIO
import MultipeerTestSupport
import NIOCore
import NIOPosix
import Testing

@testable import Multipeer

@Suite("Messages that may be lost, over sockets, SPEC §26", .endsIfItHangs)
struct DatagramTests {
    /// Anna, who has connected to Ben through a relay.
    private struct Pair {
        let anna: Friend
        let ben: Friend
        let relay: Relay
    }

    private static func friend(_ name: String, takesDatagrams: Bool = true, listens: Bool = true) async throws -> Friend
    {
        // A link that stands still is lost after 15 s, and a busy computer may take that long.
        var options = PeerOptions(clock: SlowClock())
        options.takesDatagrams = takesDatagrams
        return try await Friend(name, peer: try await Peer.temporary(named: name, options: options), listens: listens)
    }

    private static func pair(bensTakesDatagrams: Bool = true) async throws -> Pair {
        let ben = try await friend("Ben", takesDatagrams: bensTakesDatagrams)
        let anna = try await friend("Anna", listens: false)
        let relay = try Relay(to: ben.port)
        try await anna.session.invite(relay.address)
        try await ben.waits(for: ["Anna"])
        return Pair(anna: anna, ben: ben, relay: relay)
    }

    private static func hasPath(_ friend: Friend, to other: Friend) -> Bool {
        friend.session.core.member(other.id.key)?.connection.hasDatagramPath ?? false
    }

    /// One has sent such a message, and both have a path.
    private static func paths(_ pair: Pair) async throws {
        try pair.anna.session.trySend(unreliable: Array("first".utf8), to: pair.ben.id)
        try await eventually { hasPath(pair.anna, to: pair.ben) && hasPath(pair.ben, to: pair.anna) }
        try await eventually { pair.ben.seen.texts(from: "Anna") == ["first"] }
    }

    @Test("They come although the link stands still, both ways")
    func past() async throws {
        let pair = try await Self.pair()
        let (anna, ben) = (pair.anna, pair.ben)
        try await Self.paths(pair)
        pair.relay.shut()
        try await anna.session.send("waits")
        try await eventually { pair.relay.isHolding }
        #expect(try anna.session.trySend(unreliable: Array("passes".utf8), to: ben.id))
        #expect(try ben.session.trySend(unreliable: Array("back".utf8), to: anna.id))
        try await eventually {
            ben.seen.texts(from: "Anna") == ["first", "passes"] && anna.seen.texts(from: "Ben") == ["back"]
        }
        pair.relay.open()
        try await eventually { ben.seen.texts(from: "Anna") == ["first", "passes", "waits"] }
        let statistics = try #require(await anna.session.statistics(of: ben.id))
        #expect(statistics.messagesSent == 3 && statistics.messagesReceived == 1)
    }

    @Test("Those of more than 1,167 bytes go over the link")
    func long() async throws {
        let pair = try await Self.pair()
        try await Self.paths(pair)
        pair.relay.shut()
        let (short, long) = (String(repeating: "s", count: 1_167), String(repeating: "l", count: 1_168))
        try pair.anna.session.trySend(unreliable: Array(long.utf8), to: pair.ben.id)
        try pair.anna.session.trySend(unreliable: Array(short.utf8), to: pair.ben.id)
        try await eventually { pair.ben.seen.texts(from: "Anna") == ["first", short] }
        pair.relay.open()
        try await eventually { pair.ben.seen.texts(from: "Anna") == ["first", short, long] }
    }

    @Test("To a peer that takes no datagrams they go over the link, in order")
    func overLink() async throws {
        let pair = try await Self.pair(bensTakesDatagrams: false)
        let texts = (0..<50).map { "\($0)" }
        for text in texts {
            // Each goes to an idle link, where nothing has waited.
            #expect(try pair.anna.session.trySend(unreliable: Array(text.utf8), to: pair.ben.id))
            try await eventually { pair.ben.seen.texts(from: "Anna").last == text }
        }
        #expect(pair.ben.seen.texts(from: "Anna") == texts && !Self.hasPath(pair.anna, to: pair.ben))
    }

    @Test("No member is reached, and one that is too long, as with any other message")
    func refused() async throws {
        let pair = try await Self.pair()
        let cleo = try await Friend("Cleo")
        #expect(throws: MultipeerError.self) { try pair.anna.session.trySend(unreliable: [1], to: cleo.id) }
        let error = #expect(throws: MultipeerError.self) {
            try pair.anna.session.trySend(unreliable: [UInt8](repeating: 0, count: 17 << 20), to: pair.ben.id)
        }
        #expect(error?.code == .tooLarge)
    }

    @Test("Three members have a path for each two, and a connection that comes back has one again")
    func reconnecting() async throws {
        let (ben, cleo) = (try await Friend("Ben"), try await Friend("Cleo"))
        let anna = try await Friend("Anna", listens: false)
        let cable = try LooseCable(before: ben.port)
        try await anna.session.invite(.tcp(host: "127.0.0.1", port: cable.port))
        try await anna.session.invite(cleo.address)
        let friends = [anna, ben, cleo]
        for friend in friends { try await eventually { friend.connected.count == 2 } }
        func allHavePaths() -> Bool {
            friends.allSatisfy { one in friends.allSatisfy { $0.id == one.id || Self.hasPath(one, to: $0) } }
        }
        try anna.session.trySend(unreliable: [1], to: ben.id)
        try anna.session.trySend(unreliable: [1], to: cleo.id)
        try ben.session.trySend(unreliable: [1], to: cleo.id)
        try await eventually { allHavePaths() }
        cable.pull()
        try await eventually { anna.session.state(of: ben.id) == .reconnecting && !Self.hasPath(anna, to: ben) }
        #expect(try !anna.session.trySend(unreliable: [2], to: ben.id))
        cable.plug()
        // The link that continues the association asks for a path by itself, because the app has wanted one.
        try await eventually { allHavePaths() }
        #expect(try anna.session.trySend(unreliable: Array("again".utf8), to: ben.id))
        try await eventually { ben.seen.texts(from: "Anna").contains("again") }
    }

    @Test("Packets of strangers, and copies of packets, change nothing", arguments: [Int](0..<2))
    func strangers(kind: Int) async throws {
        let pair = try await Self.pair()
        let (anna, ben) = (pair.anna, pair.ben)
        try await Self.paths(pair)
        // Ben takes datagrams at the port at which he listens, if that was free.
        let attacker = try await DatagramBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .bind(host: "127.0.0.1", port: 0).get()
        let target = try SocketAddress(ipAddress: "127.0.0.1", port: ben.port)
        var packet = [UInt8](repeating: 0, count: 100)
        for number in 0..<5_000 {
            packet[0] = UInt8(4 + number % 3)
            if kind == 0 { for place in 1..<17 { packet[place] = UInt8.random(in: 0...255) } }
            let length = kind == 0 ? [33, 53, 100, 1_200, 1][number % 5] : 53
            let bytes = Array((packet + [UInt8](repeating: 7, count: 1_100)).prefix(length))
            attacker.writeAndFlush(
                AddressedEnvelope(remoteAddress: target, data: ByteBuffer(bytes: bytes)), promise: nil)
        }
        try await attacker.close()
        pair.relay.shut()
        // What fills Ben's socket may have pushed out a message, so Anna sends until one comes.
        for number in 0..<5 {
            try await eventually {
                _ = try? anna.session.trySend(unreliable: Array("\(number)".utf8), to: ben.id)
                return ben.seen.texts(from: "Anna").contains("\(number)")
            }
        }
        #expect(Set(ben.seen.texts(from: "Anna")) == ["first", "0", "1", "2", "3", "4"])
    }
}
