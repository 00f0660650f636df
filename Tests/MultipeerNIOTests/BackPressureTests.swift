import MultipeerCore
import MultipeerDriver
import MultipeerNIO
import MultipeerTestSupport
import MultipeerTesting
import NIOCore
import Testing

@Suite("Back pressure, SPEC §15.2", .endsIfItHangs)
struct BackPressureTests {
    private static let length = 65_536

    private static func message(_ number: Int) -> [UInt8] {
        var message = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: length)
        withUnsafeBytes(of: UInt64(number).bigEndian) { message.replaceSubrange(0..<8, with: $0) }
        return message
    }

    private static func sendAll(_ count: Int, on link: LinkConnection) async throws {
        for number in 0..<count { try await link.send(message(number)) }
    }

    /// Takes `count` messages, and checks each without keeping it.
    private static func takeAll(_ count: Int, from link: LinkConnection) async throws -> Int {
        var taken = 0
        for await event in link.events {
            guard case .message(let message) = event else { continue }
            try #require(message == Self.message(taken))
            taken += 1
            if taken == count { break }
        }
        return taken
    }

    @Test("64 MiB, both ways at once, arrive whole and in order")
    func bothWays() async throws {
        let service = try await Service()
        let (anna, ben) = try await service.openPair()
        let count = 512
        try await withThrowingTaskGroup(of: Int.self) { group in
            for app in [anna, ben] {
                group.addTask {
                    try await Self.sendAll(count, on: app.link)
                    return count
                }
                group.addTask { try await Self.takeAll(count, from: app.link) }
            }
            for try await taken in group { #expect(taken == count) }
        }
        await service.listener.shutdown()
    }

    @Test("A receiver that takes nothing stops the sender, and no memory piles up")
    func slowConsumer() async throws {
        let service = try await Service()
        let (anna, ben) = try await service.openPair()
        let count = 512  // 32 MiB: more than all buffers between take
        let sender = Task { try await Self.sendAll(count, on: anna.link) }

        // Stalled: the receiver has no more credit to give, the sender waits, and that stays so.
        var stalls = 0
        var last = 0
        try await eventually {
            let (from, to) = (await anna.link.status(), await ben.link.status())
            let isStalled =
                from.suspendedSends == 1 && to.undeliveredEventCost > 196_608 && from.queuedByteCount == last
            stalls = isStalled ? stalls + 1 : 0
            last = from.queuedByteCount
            return stalls == 100
        }
        let (from, to) = (await anna.link.status(), await ben.link.status())
        #expect(from.queuedByteCount <= 1_048_576 + Self.length)
        #expect(from.queuedByteCount >= 262_144)
        // Three messages fit into the first credit, and a fourth one has begun. The link is read all the same.
        #expect(to.undeliveredEventCost == 4 * (Self.length + 256))
        #expect(!to.isReadingPaused)

        #expect(try await Self.takeAll(count, from: ben.link) == count)
        try await sender.outcome()
        let after = await ben.link.status()
        #expect(!after.isReadingPaused)
        #expect(after.undeliveredEventCost == 0)
        await service.listener.shutdown()
    }

    @Test("Empty messages are bounded too")
    func emptyMessages() async throws {
        let service = try await Service()
        let (anna, ben) = try await service.openPair()
        let count = 20_000
        let sender = Task {
            for _ in 0..<count { try await anna.link.send([]) }
        }
        try await eventually { await ben.link.status().undeliveredEventCost == 4_096 * 256 }
        var taken = 0
        for await event in ben.link.events {
            if case .message = event { taken += 1 }
            if taken == count { break }
        }
        #expect(taken == count)
        try await sender.outcome()
        await service.listener.shutdown()
    }

    @Test("A link continues reading while its writes wait (R15.2-1)")
    func readsWhileWritesWait() async throws {
        let service = try await Service()
        let raw = try await RawPeer(to: service.listener.localEndpoint)
        let accepted = try await service.accepted()
        async let opened = Self.open(App(accepted))
        try await raw.run { $0.summary != nil }
        var ben = try await opened

        // The peer reads no more. What Ben sends fills the sockets' buffers, and then waits.
        try await raw.socket.channel.setOption(.autoRead, value: false).get()
        let link = ben.link
        let sender = Task { try await Self.sendAll(2_048, on: link) }
        try await eventually { await link.status().suspendedSends == 1 }

        let answer = [UInt8](repeating: 9, count: 200_000)
        try raw.peer.link.send(answer, at: RawPeer.now)
        try await raw.send()
        let seen = try await ben.run { $0.messages.count == 1 }
        #expect(seen.messages == [answer])

        // A message that waits when the link ends is refused, not lost in silence.
        link.abort()
        await #expect(throws: SendFailure.notConnected) { try await sender.outcome() }
    }

    private static func open(_ app: App) async throws -> App {
        var app = app
        try await app.run { $0.summary != nil }
        return app
    }

    @Test("A suspended send can be cancelled: its message is never sent, the others are, in order")
    func cancelledSend() async throws {
        let service = try await Service()
        var options = Nodes.options
        options.sends = Watermarks(low: 0, high: 1)
        options.events = Watermarks(low: 0, high: 1)
        let initiator = try await service.connect(options: options)
        let (anna, ben) = try await Service.open(initiator, try await service.accepted())
        // Fill the way, so that what follows waits.
        let filler = Task {
            var count = 0
            while await anna.link.status().suspendedSends < 1 || count < 200 {
                try await anna.link.send([UInt8](repeating: 0, count: 100_000))
                count += 1
                if count == 400 { break }
            }
            return count
        }
        try await eventually { await anna.link.status().suspendedSends == 1 }
        let first = Task { try await anna.link.send([1]) }
        try await eventually { await anna.link.status().suspendedSends == 2 }
        let second = Task { try await anna.link.send([2]) }
        try await eventually { await anna.link.status().suspendedSends == 3 }
        first.cancel()
        await #expect(throws: SendFailure.cancelled) { try await first.outcome() }
        // The filler may just be between two messages.
        try await eventually { await anna.link.status().suspendedSends == 2 }

        var small: [[UInt8]] = []
        var large = 0
        for await event in ben.link.events {
            guard case .message(let message) = event else { continue }
            if message.count == 1 { small.append(message) } else { large += 1 }
            if small.count == 1, large == 400 { break }
        }
        #expect(small == [[2]])
        #expect(try await filler.outcome() == 400)
        _ = try await second.outcome()
        await service.listener.shutdown()
    }

    @Test("A send of a cancelled task sends nothing")
    func cancelledBefore() async throws {
        let service = try await Service()
        var options = Nodes.options
        options.sends = Watermarks(low: 0, high: 1)
        let initiator = try await service.connect(options: options)
        let (anna, ben) = try await Service.open(initiator, try await service.accepted())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await anna.link.send([1])
        }
        await #expect(throws: SendFailure.cancelled) { try await task.outcome() }
        try await anna.link.send([2])
        var taker = ben
        let seen = try await taker.run { $0.messages.count == 1 }
        #expect(seen.messages == [[2]])
        await service.listener.shutdown()
    }
}
