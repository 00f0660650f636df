import MultipeerCore
import MultipeerNIO
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Limits of listeners, SPEC §19", .endsIfItHangs)
struct ListenerLimitTests {
    private static let busy = LinkEnd.failed(
        LinkFailure(stage: .hello, cause: .incompatible(.refused(.busy))))

    private func end(_ link: LinkConnection) async throws -> LinkEnd? {
        var app = App(link)
        return try await app.run().end
    }

    @Test("A link is half-open until its peer is identified, and has a place until it closes")
    func stages() async throws {
        let service = try await Service()
        let silent = try await RawSocket(to: service.listener.localEndpoint)
        let halfOpen = try await service.accepted()
        let (anna, ben) = try await service.openPair()
        #expect(service.listener.counts.halfOpen == 1 && service.listener.counts.unopened == 0)
        #expect(service.listener.counts.open == 2 && service.listener.counts.accepted == 2)
        try await silent.close()
        try await eventually { service.listener.counts.halfOpen == 0 }
        #expect(service.listener.counts.open == 1)
        anna.link.abort()
        try await eventually { service.listener.counts.open == 0 }
        withExtendedLifetime((halfOpen, ben)) {}
    }

    @Test("Too many links: the next gets REFUSAL busy, until one closes")
    func connections() async throws {
        var limits = ListenerLimits.patient
        limits.connections = 1
        let service = try await Service(limits: limits)
        let (anna, ben) = try await service.openPair()
        #expect(try await end(try await service.connect()) == Self.busy)
        async let last = end(ben.link)
        anna.link.close()
        #expect(try await last == .finished(unsentMessages: 0))
        try await eventually { service.listener.counts.open == 0 }
        _ = try await service.openPair()
        #expect(service.listener.counts.accepted == 2)
        await service.listener.shutdown()
    }

    @Test("Too many refusals at once: the next is closed unanswered")
    func refusals() async throws {
        var limits = ListenerLimits()
        limits.connections = 0
        limits.refusals = 1
        limits.refusalTimeout = .seconds(3_600)
        let service = try await Service(limits: limits)
        let silent = try await RawSocket(to: service.listener.localEndpoint)
        try await eventually { service.listener.counts.refusing == 1 }
        let next = try await RawSocket(to: service.listener.localEndpoint)
        #expect(await next.receiveAll().isEmpty)
        try await eventually { service.listener.counts.dropped == 1 }
        try await silent.close()
        try await eventually { service.listener.counts.refusing == 0 }
        #expect(try await end(try await service.connect()) == Self.busy)
        #expect(service.listener.counts.refused == 2)
    }

    @Test("A refused connection without a hello is closed in time, unanswered (SPEC §7.5)")
    func silentRefusal() async throws {
        var limits = ListenerLimits()
        limits.connections = 0
        limits.refusalTimeout = .milliseconds(50)
        let service = try await Service(limits: limits)
        let silent = try await RawSocket(to: service.listener.localEndpoint)
        #expect(await silent.receiveAll().isEmpty)
        try await eventually { service.listener.counts.refused == 1 && service.listener.counts.refusing == 0 }
    }

    @Test("A shutdown does not wait for connections that are being refused")
    func refusalsAtShutdown() async throws {
        var limits = ListenerLimits()
        limits.connections = 0
        limits.refusalTimeout = .seconds(3_600)
        let service = try await Service(limits: limits)
        let silent = try await RawSocket(to: service.listener.localEndpoint)
        try await eventually { service.listener.counts.refusing == 1 }
        await service.listener.shutdown()
        #expect(await silent.receiveAll().isEmpty)
        #expect(service.listener.counts.refusing == 0)
    }

    @Test("REFUSAL busy on the wire")
    func refusalBytes() async throws {
        var limits = ListenerLimits()
        limits.connections = 0
        limits.refusalTimeout = .seconds(3_600)  // a loaded machine must not decide
        let service = try await Service(limits: limits)
        let raw = try await RawPeer(to: service.listener.localEndpoint)
        try await raw.send()
        let answer = await raw.socket.receiveAll()
        #expect(answer == [0x4D, 0x50, 0x45, 0x45, 0x52, 0x0D, 0x0A, 0x00, 0x02, 0x00, 0x03, 0x03, 0x00, 0x00])
    }

    @Test("Beyond the accept rate connections wait in the system's queue")
    func acceptRate() async throws {
        var limits = ListenerLimits()
        limits.acceptsPerSecond = 0.001
        limits.acceptBurst = 2
        let service = try await Service(limits: limits)
        var sockets: [RawSocket] = []
        for _ in 0..<5 { sockets.append(try await RawSocket(to: service.listener.localEndpoint)) }
        try await eventually { service.listener.counts.accepted == 2 }
        for socket in sockets.prefix(2) { try await socket.close() }
        try await eventually { service.listener.counts.open == 0 }
        #expect(service.listener.counts.accepted == 2)
        await service.listener.shutdown()
        // The listener is gone, and with it those that waited.
        for socket in sockets.dropFirst(2) { #expect(await socket.receiveAll().isEmpty) }
    }
}
