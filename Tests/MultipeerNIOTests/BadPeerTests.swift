import MultipeerCore
import MultipeerNIO
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import NIOCore
import Testing

@Suite("Bad peers on real sockets, SPEC §6.1, §16.2, §19", .endsIfItHangs)
struct BadPeerTests {
    private func end(_ link: LinkConnection) async throws -> LinkEnd? {
        var app = App(link)
        return try await app.run().end
    }

    enum Foreign: String, CaseIterable {
        case http, tls, muchOfOneByte, oneByteOfMagic

        var bytes: [UInt8] {
            switch self {
            case .http: Array("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
            case .tls: [0x16, 0x03, 0x01, 0x02, 0x00]
            case .muchOfOneByte: [UInt8](repeating: 0xA5, count: 100_000)
            case .oneByteOfMagic: Array("M".utf8) + [0]
            }
        }
    }

    @Test("A stream of another protocol is malformed at once, and gets no answer", arguments: Foreign.allCases)
    func foreignProtocols(foreign: Foreign) async throws {
        let service = try await Service()
        let raw = try await RawSocket(to: service.listener.localEndpoint)
        try await raw.send(foreign.bytes)
        let end = try await end(try await service.accepted())
        #expect(
            end == .failed(LinkFailure(stage: .hello, cause: .malformed(WireError(.valueOutOfRange, in: .magic)))))
        #expect(await raw.receiveAll().isEmpty)
        try await eventually { service.listener.counts.open == 0 }
        #expect(service.listener.counts.halfOpen == 0)
    }

    @Test("A server of another protocol is malformed to the initiator")
    func foreignServer() async throws {
        let server = try await ForeignServer(greeting: Array("220 smtp.example ESMTP\r\n".utf8))
        let link = try await LinkConnector.connect(
            to: server.endpoint, configuration: Nodes.anna(), options: Nodes.options, eventLoopGroup: Nodes.group)
        let end = try await end(link)
        #expect(
            end == .failed(LinkFailure(stage: .hello, cause: .malformed(WireError(.valueOutOfRange, in: .magic)))))
        try await server.close()
    }

    @Test("A silent connection closes at the handshake's deadline, unanswered")
    func silence() async throws {
        let clock = ManualClock()
        let service = try await Self.service(by: clock)
        let raw = try await RawSocket(to: service.listener.localEndpoint)
        let link = try await service.accepted()
        clock.advance(by: .seconds(10))
        let end = try await end(link)
        #expect(end == .failed(LinkFailure(stage: .hello, cause: .timedOut)))
        #expect(await raw.receiveAll().isEmpty)
    }

    @Test("A peer that stops in the middle of its hello fails at the same deadline")
    func halfHello() async throws {
        let clock = ManualClock()
        let service = try await Self.service(by: clock)
        let raw = try await RawPeer(to: service.listener.localEndpoint)
        let opening = raw.peer.transmit(at: RawPeer.now)
        try await raw.socket.send(opening.dropLast())
        let link = try await service.accepted()
        clock.advance(by: .seconds(10))
        let end = try await end(link)
        #expect(end == .failed(LinkFailure(stage: .hello, cause: .timedOut)))
        #expect(await raw.socket.receiveAll().isEmpty)
    }

    /// A listener with the usual deadlines, by a clock of the test's.
    private static func service(by clock: ManualClock) async throws -> Service {
        var options = Nodes.options
        options.clock = clock
        return try await Service(configuration: Nodes.ben { $0.timeouts = LinkTimeouts() }, options: options)
    }

    enum Disappearance: CaseIterable { case fin, rst }

    @Test("A peer that vanishes in the middle of a message leaves a truncated link", arguments: Disappearance.allCases)
    func vanishes(how: Disappearance) async throws {
        let service = try await Service()
        let raw = try await RawPeer(to: service.listener.localEndpoint)
        let link = try await service.accepted()
        async let opened = Self.open(App(link))
        try await raw.run { $0.summary != nil }
        var ben = try await opened
        try raw.peer.link.send([1], at: RawPeer.now)
        try raw.peer.link.send([UInt8](repeating: 2, count: 300_000), at: RawPeer.now)
        let bytes = raw.peer.transmit(at: RawPeer.now)
        try await raw.socket.send(Array(bytes.prefix(200_000)))
        // Seen first, so that a reset does not overtake it.
        try await ben.run { $0.messages.count == 1 }
        switch how {
        case .fin: try await raw.socket.close()
        case .rst: try await raw.socket.reset()
        }
        let seen = try await ben.run()
        #expect(seen.end == .failed(LinkFailure(stage: .open, cause: .truncated)))
        #expect(seen.messages == [[1]])
        try await eventually { service.listener.counts.open == 0 }
    }

    private static func open(_ app: App) async throws -> App {
        var app = app
        try await app.run { $0.summary != nil }
        return app
    }

    @Test("A peer that does not answer CLOSE is dropped at the closing deadline")
    func noAnswerToClose() async throws {
        let service = try await Service(configuration: Nodes.ben { $0.timeouts.closing = .milliseconds(50) })
        let raw = try await RawPeer(to: service.listener.localEndpoint)
        let link = try await service.accepted()
        async let opened = Self.open(App(link))
        try await raw.run { $0.summary != nil }
        var ben = try await opened
        ben.link.close()
        await ben.link.waitUntilClosed()
        let seen = try await ben.run()
        #expect(seen.end == .failed(LinkFailure(stage: .closing, cause: .timedOut)))
        // The peer got CLOSE and the end of the stream in good order.
        let rest = await raw.socket.receiveAll()
        raw.peer.link.receive(rest.span, at: RawPeer.now)
        raw.peer.drain(at: RawPeer.now)
        let end = raw.peer.end
        #expect(end == .finished(unsentMessages: 0))
    }

    @Test("Bytes after CLOSE are harmless, and do not keep CLOSE from arriving")
    func bytesAfterClose() async throws {
        let service = try await Service()
        let raw = try await RawPeer(to: service.listener.localEndpoint)
        let link = try await service.accepted()
        async let opened = Self.open(App(link))
        try await raw.run { $0.summary != nil }
        var ben = try await opened
        raw.peer.link.close(at: RawPeer.now)
        try await raw.socket.send(raw.peer.transmit(at: RawPeer.now) + [UInt8](repeating: 0, count: 1_000))
        let seen = try await ben.run()
        #expect(seen.end == .finished(unsentMessages: 0))
        try await raw.run { $0.end != nil }
        let end = raw.peer.end
        #expect(end == .finished(unsentMessages: 0))
    }
}
