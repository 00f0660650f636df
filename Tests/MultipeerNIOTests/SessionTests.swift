import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Sessions over sockets, SPEC §5", .endsIfItHangs)
struct SocketSessionTests {
    @Test("TCP over IPv4") func ipv4() async throws {
        try await wholeSession(at: .tcp(host: "127.0.0.1", port: 0))
    }

    @Test("TCP over IPv6") func ipv6() async throws {
        try await wholeSession(at: .tcp(host: "::1", port: 0))
    }

    @Test("Unix sockets") func unixSocket() async throws {
        let folder = try TemporaryFolder()
        try await wholeSession(at: folder.socket())
    }

    /// Messages and files both ways, and an end in good order.
    private func wholeSession(at endpoint: Endpoint) async throws {
        let service = try await Service(at: endpoint)
        let (first, second) = try await service.openPair()
        let (anna, ben) = (first.with(file: Self.bytes(300_000)), second.with(file: Self.bytes(70_000)))
        #expect(anna.seen.summary?.handshakeHash == ben.seen.summary?.handshakeHash)
        #expect(anna.seen.summary?.peer.displayName?.description == "Ben")
        #expect(anna.link.remote == service.listener.localEndpoint)

        let long = [UInt8](repeating: 7, count: 3_000_000)
        try await anna.link.send(Array("hello".utf8))
        try await anna.link.send(long)
        try await ben.link.send([])
        _ = try await anna.link.offerFile(name: "a", size: 300_000)
        _ = try await ben.link.offerFile(name: "b", size: 70_000)

        async let others = Self.take(ben, messages: 2)
        let own = try await Self.take(anna, messages: 1)
        let theirs = try await others
        #expect(own.seen.messages == [[]])
        // Compared outside of #expect, which would print megabytes of bytes.
        let messagesArrived = theirs.seen.messages == [Array("hello".utf8), long]
        let filesArrived = (own.seen.files == [ben.file], theirs.seen.files == [anna.file])
        #expect(messagesArrived)
        #expect(filesArrived == (true, true))

        async let lastOfBen = Self.finish(theirs)
        anna.link.close()
        let lastOfAnna = try await Self.finish(own)
        #expect(lastOfAnna.end == .finished(unsentMessages: 0))
        #expect(try await lastOfBen.end == .finished(unsentMessages: 0))
        try await eventually { service.listener.counts.open == 0 }
        await service.listener.shutdown()
    }

    private static func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
    }

    private static func take(_ app: App, messages: Int) async throws -> App {
        var app = app
        try await app.run { $0.messages.count == messages && $0.files.count == 1 && $0.delivered == 1 }
        return app
    }

    private static func finish(_ app: App) async throws -> Seen {
        var app = app
        return try await app.run()
    }

    @Test("Without a validator the app is asked, and a rejection closes the link")
    func appJudges() async throws {
        var options = Nodes.options
        options.validator = nil
        let service = try await Service()
        let link = try await service.connect(options: options)
        try await link.invite(Nodes.invitation)
        async let other = Self.finish(App(try await service.accepted()))
        var end: LinkEnd?
        for await event in link.events {
            if case .verify(let token, let evidence) = event {
                #expect(evidence.peer.displayName?.description == "Ben")
                try await link.submitVerdict(.rejected(.refusedByApplication), for: token)
            }
            if case .closed(let closed) = event { end = closed }
        }
        let cause = LinkFailureCause.certificate(.refusedByApplication)
        #expect(end == .failed(LinkFailure(stage: .certificates, cause: cause)))
        #expect(try await other.summary == nil)
        await service.listener.shutdown()
    }

    @Test("A hundred links at once")
    func manyLinks() async throws {
        var limits = ListenerLimits()
        (limits.halfOpen, limits.halfOpenPerAddress) = (100, 100)
        (limits.unopened, limits.unopenedPerAddress) = (100, 100)
        let service = try await Service(limits: limits)
        let summaries = try await withThrowingTaskGroup(of: LinkSummary?.self) { group in
            group.addTask {
                try await withThrowingDiscardingTaskGroup { sessions in
                    var count = 0
                    for await link in service.listener.connections {
                        sessions.addTask { try await Self.echo(link) }
                        count += 1
                        if count == 100 { break }
                    }
                }
                return nil
            }
            for number in 0..<100 {
                group.addTask { try await Self.sayAndHear(number, service) }
            }
            return try await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
        }
        #expect(Set(summaries.map(\.handshakeHash)).count == 100)
        #expect(service.listener.counts.accepted == 100)
        await service.listener.shutdown()
    }

    private static func echo(_ link: LinkConnection) async throws {
        var app = App(link)
        let seen = try await app.run { $0.messages.count == 1 }
        try await link.send(try #require(seen.messages.first))
        try await app.run()
        #expect(app.seen.end == .finished(unsentMessages: 0))
    }

    private static func sayAndHear(_ number: Int, _ service: Service) async throws -> LinkSummary {
        let link = try await service.connect(
            Nodes.configuration("Peer \(number)", seed: UInt64(1_000 + number)))
        try await link.invite(Nodes.invitation)
        var app = App(link)
        let message = Array("number \(number)".utf8)
        try await app.run { $0.summary != nil }
        try await link.send(message)
        try await app.run { $0.messages.count == 1 }
        #expect(app.seen.messages == [message])
        link.close()
        try await app.run()
        #expect(app.seen.end == .finished(unsentMessages: 0))
        return try #require(app.seen.summary)
    }

    @Test("A session byte by byte")
    func dripFeed() async throws {
        let service = try await Service()
        let raw = try await RawPeer(to: service.listener.localEndpoint)
        raw.pieces = 1
        let link = try await service.accepted()
        async let seen = Self.finish(App(link))
        try await raw.run { $0.summary != nil }
        let message = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        try raw.peer.link.send(message, at: RawPeer.now)
        raw.peer.link.close(at: RawPeer.now)
        try await raw.run { $0.end != nil }
        let end = raw.peer.end
        #expect(end == .finished(unsentMessages: 0))
        #expect(try await seen.messages == [message])
        #expect(try await seen.end == .finished(unsentMessages: 0))
    }
}
