import MultipeerCore
import MultipeerDriver
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import NIOCore
import Testing

@testable import MultipeerNIO

@Suite("Closing, dropping, shutting down, SPEC §16", .endsIfItHangs)
struct ShutdownTests {
    private static func finish(_ app: App) async throws -> Seen {
        var app = app
        return try await app.run()
    }

    @Test("A shutdown closes open sessions in good order, after queued messages")
    func openSessions() async throws {
        let service = try await Service()
        var pairs: [(App, App)] = []
        for _ in 0..<3 { pairs.append(try await service.openPair()) }
        for (_, ben) in pairs { try await ben.link.send([UInt8](repeating: 1, count: 500_000)) }
        let ends = try await withThrowingTaskGroup(of: Seen.self) { group in
            for (anna, ben) in pairs {
                group.addTask { try await Self.finish(anna) }
                group.addTask { try await Self.finish(ben) }
            }
            await service.listener.shutdown(gracefullyWithin: .seconds(3_600))
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends.count == 6)
        #expect(ends.allSatisfy { $0.end == .finished(unsentMessages: 0) })
        #expect(ends.filter { $0.messages.first?.count == 500_000 }.count == 3)
        #expect(service.listener.counts.open == 0)
        for await _ in service.listener.connections { Issue.record("a link after the end") }
    }

    @Test("Links without a session yet are notified that the program stops")
    func notYetOpen() async throws {
        let service = try await Service()
        let identified = try await service.connect()
        let link = try await service.accepted()
        let silent = try await RawSocket(to: service.listener.localEndpoint)
        for await case .identified in link.events { break }
        var anna = App(identified)
        try await eventually { service.listener.counts.open == 2 }
        await service.listener.shutdown(gracefullyWithin: .seconds(3_600))
        let seen = try await anna.run()
        #expect(seen.failure?.cause == .peerClosed(.shuttingDown))
        #expect(await silent.receiveAll().isEmpty)
        #expect(service.listener.counts.open == 0)
        #expect(service.listener.counts.halfOpen == 0)
    }

    @Test("A peer that does not answer cannot delay a shutdown")
    func boundedShutdown() async throws {
        let service = try await Service(configuration: Nodes.ben { $0.timeouts.closing = .seconds(3_600) })
        let raw = try await RawPeer(to: service.listener.localEndpoint)
        let link = try await service.accepted()
        async let opened = Self.open(App(link))
        try await raw.run { $0.summary != nil }
        let ben = try await opened
        await service.listener.shutdown(gracefullyWithin: .milliseconds(50))
        let seen = try await Self.finish(ben)
        #expect(seen.end == .failed(LinkFailure(stage: .closing, cause: .truncated)))
        #expect(service.listener.counts.open == 0)
    }

    private static func open(_ app: App) async throws -> App {
        var app = app
        try await app.run { $0.summary != nil }
        return app
    }

    @Test("Closing with a code sends the peer the code")
    func closeWithCode() async throws {
        let service = try await Service()
        let (anna, ben) = try await service.openPair()
        async let theirs = Self.finish(ben)
        anna.link.close(.duplicateLink)
        #expect(try await theirs.end == .failed(LinkFailure(stage: .open, cause: .peerClosed(.duplicateLink))))
        #expect(try await Self.finish(anna).end == .finished(unsentMessages: 0))
    }

    @Test("Both may close at once; and requests after the end throw")
    func bothClose() async throws {
        let service = try await Service()
        let (anna, ben) = try await service.openPair()
        async let one = Self.finish(anna)
        async let other = Self.finish(ben)
        anna.link.close()
        ben.link.close()
        await anna.link.waitUntilClosed()
        await ben.link.waitUntilClosed()
        #expect(try await one.end == .finished(unsentMessages: 0))
        #expect(try await other.end == .finished(unsentMessages: 0))
        await #expect(throws: SendFailure.notConnected) { try await anna.link.send([1]) }
        await #expect(throws: RequestError.wrongStage(.closed)) { try await anna.link.offerFile(name: "a", size: 1) }
        anna.link.close()  // changes nothing
        await anna.link.waitUntilClosed()
    }

    @Test("Aborting is truncation for both peers; a cancelled wait for the end leaves the link open")
    func abort() async throws {
        let service = try await Service()
        let (anna, ben) = try await service.openPair()
        anna.link.abort()
        #expect(try await Self.finish(anna).end == .failed(LinkFailure(stage: .open, cause: .truncated)))
        #expect(try await Self.finish(ben).end == .failed(LinkFailure(stage: .open, cause: .truncated)))

        let raw = try await RawPeer(to: service.listener.localEndpoint)
        let link = try await service.accepted()
        async let opened = Self.open(App(link))
        try await raw.run { $0.summary != nil }
        let other = try await opened
        other.link.close()
        let waiting = Task { await other.link.waitUntilClosed() }
        try await eventually { await other.link.status().stage == .closing }
        waiting.cancel()
        try await waiting.outcome()
        #expect(await other.link.status().stage == .closing)
        other.link.abort()
        #expect(try await Self.finish(other).end == .failed(LinkFailure(stage: .closing, cause: .truncated)))
    }

    @Test("Written bytes are sent before the transport closes, however slow the peer reads", arguments: [true, false])
    func slowReader(closes: Bool) async throws {
        let service = try await Service()
        let raw = try await RawPeer(to: service.listener.localEndpoint, receiveBuffer: 2_048)
        let link = try await service.accepted()
        async let opened = Self.open(App(link))
        try await raw.run { $0.summary != nil }
        let ben = try await opened
        // The system buffers little, and the peer reads no more: most of the message stays in the channel.
        try await ben.link.channel.setOption(.socketOption(.so_sndbuf), value: 4_096).get()
        try await raw.socket.channel.setOption(.autoRead, value: false).get()
        let message = [UInt8](repeating: 3, count: 50_000)
        try await ben.link.send(message)
        try await eventually { await ben.link.status().queuedByteCount == 0 }
        if closes { ben.link.close() }
        // With the peer's CLOSE the link is finished locally.
        raw.peer.link.close(at: RawPeer.now)
        try await raw.send()
        var app = ben
        #expect(try await app.run { $0.end != nil }.end == .finished(unsentMessages: 0))

        try await raw.socket.channel.setOption(.autoRead, value: true).get()
        try await raw.run { $0.end != nil }
        #expect(raw.peer.messages == [message])
        let end = raw.peer.end
        #expect(end == .finished(unsentMessages: 0))
    }

    @Test("A released connection closes in good order, and everything is freed")
    func dropped() async throws {
        let service = try await Service()
        weak var connection: LinkConnection?
        let ben = try await {
            let (anna, ben) = try await service.openPair()
            connection = anna.link
            return ben
        }()
        #expect(try await Self.finish(ben).end == .finished(unsentMessages: 0))
        try await eventually { connection == nil }
    }

    @Test("A released listener stops listening, and its links stay open")
    func droppedListener() async throws {
        let (anna, ben, endpoint) = try await {
            let service = try await Service()
            let (anna, ben) = try await service.openPair()
            return (anna, ben, service.listener.localEndpoint)
        }()
        try await eventually {
            do {
                let link = try await LinkConnector.connect(
                    to: endpoint, configuration: Nodes.anna(), options: Nodes.options, eventLoopGroup: Nodes.group)
                link.abort()
                return false
            } catch {
                return error as? ConnectError == .unreachable(.refused)
            }
        }
        try await anna.link.send([5])
        var taker = ben
        #expect(try await taker.run { $0.messages.count == 1 }.messages == [[5]])
        anna.link.abort()
    }
}
