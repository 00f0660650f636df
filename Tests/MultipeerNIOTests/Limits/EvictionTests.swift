import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import MultipeerNIO
import MultipeerTestSupport
import MultipeerWire
import NIOCore
import NIOPosix
import Testing

@Suite("Attackers that take places, SPEC §19", .endsIfItHangs)
struct EvictionTests {
    private static let evicted = LinkFailureCause.limit(.noRoom)

    /// A connection from an address of this host that says nothing.
    private static func silent(from address: String, to endpoint: Endpoint) async throws -> any Channel {
        guard case .tcp(let host, let port) = endpoint else { throw EndpointSyntaxError.missingHost }
        return try await ClientBootstrap(group: Nodes.group)
            .bind(to: SocketAddress(ipAddress: address, port: 0))
            .connect(host: host, port: port).get()
    }

    /// A peer with a key of its own that is identified and then does nothing.
    private static func idlePeer(_ number: UInt64, _ service: Service) async throws -> LinkConnection {
        let link = try await service.connect(Nodes.configuration("Mallory", seed: 1_000 + number))
        for await event in link.events {
            if case .identified = event { break }
            if case .closed = event { break }
        }
        return link
    }

    /// Serves every peer that comes, as an app does.
    private static func serve(_ service: Service) -> Task<Void, any Error> {
        Task {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for await link in service.listener.connections {
                    group.addTask {
                        var app = App(link)
                        try await app.run()
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    private static func opens(_ configuration: LinkConfiguration, _ service: Service) async throws -> LinkEnd? {
        let link = try await service.connect(configuration)
        try await link.invite(Nodes.invitation)
        var app = App(link)
        let seen = try await app.run { $0.summary != nil }
        if seen.summary != nil { link.close() }
        return try await app.run().end
    }

    @Test("Silent connections that fill all handshakes do not keep an honest peer out")
    func silence() async throws {
        var limits = ListenerLimits()
        limits.halfOpen = 16
        limits.halfOpenPerAddress = 4
        let service = try await Service(limits: limits)
        let serving = Self.serve(service)
        var sockets: [any Channel] = []
        for number in 0..<16 {
            sockets.append(try await Self.silent(from: "127.0.1.\(1 + number / 4)", to: service.listener.localEndpoint))
            // Two event loops admit two connections in either order. This test knows which is the oldest.
            try await eventually { service.listener.counts.halfOpen == number + 1 }
        }
        #expect(try await Self.opens(Nodes.anna(), service) == .finished(unsentMessages: 0))
        #expect(service.listener.counts.evicted == 1 && service.listener.counts.refused == 0)
        // The oldest silence has ended.
        try await eventually { !sockets[0].isActive }
        for socket in sockets.dropFirst() { try? await socket.close() }
        await service.listener.shutdown()
        try await serving.outcome()
    }

    @Test("One address with throw-away keys does not lock the pinned peer out, before it or after it")
    func throwAwayKeys() async throws {
        let (anna, pinned) = (try Nodes.anna(), try Nodes.configuration("Carl", seed: 77))
        var options = Nodes.options
        options.validator = PinnedKeyValidator(
            pins: [.identity(anna.identity.identityKey), .identity(pinned.identity.identityKey)])
        var limits = ListenerLimits()
        limits.connections = 12
        limits.unopened = 8
        limits.unopenedPerAddress = 6
        let service = try await Service(options: options, limits: limits)
        let serving = Self.serve(service)
        let early = try await service.connect(pinned)
        for await case .identified in early.events { break }
        try await eventually { service.listener.counts.known == 1 }

        var attackers: [LinkConnection] = []
        for number in UInt64(0)..<16 { attackers.append(try await Self.idlePeer(number, service)) }
        try await eventually { service.listener.counts.halfOpen == 0 }
        #expect(service.listener.counts.unopened <= 7)
        #expect(service.listener.counts.refused == 0)
        // The pinned peer that came before still has its place, and the one that comes after gets one.
        #expect(try await Self.opens(anna, service) == .finished(unsentMessages: 0))
        try await early.invite(Nodes.invitation)
        var app = App(early)
        #expect(try await app.run { $0.summary != nil || $0.end != nil }.summary != nil)
        early.close()
        try await app.run()
        #expect(attackers.count == 16)
        await service.listener.shutdown()
        try await serving.outcome()
    }

    @Test("One peer holds few links that are not open; the app learns why a link closed")
    func oneIdentity() async throws {
        var limits = ListenerLimits()
        limits.unopenedPerIdentity = 2
        let service = try await Service(limits: limits)
        let configuration = try Nodes.configuration("Mallory", seed: 5)
        var links: [LinkConnection] = []
        for _ in 0..<5 {
            let link = try await service.connect(configuration)
            for await case .identified in link.events { break }
            links.append(link)
        }
        try await eventually { service.listener.counts.evicted == 3 }
        #expect(service.listener.counts.unopened == 2)
        var app = App(try await service.accepted())
        let seen = try await app.run()
        #expect(seen.failure?.cause == Self.evicted && seen.failure?.stage == .identified)
        #expect(links.count == 5)
        await service.listener.shutdown()
    }

    @Test("Links that close before they are taken leave the queue, all but the last few")
    func endedLinks() async throws {
        let service = try await Service()
        for round in 1...40 {
            let raw = try await RawSocket(to: service.listener.localEndpoint)
            try await raw.send([0])
            #expect(await raw.receiveAll().isEmpty)
            try await eventually { service.listener.counts.accepted == round && service.listener.counts.open == 0 }
        }
        let anna = try await service.connect()
        var taken = 0
        for await link in service.listener.connections {
            taken += 1
            if await link.status().stage != .closed { break }
        }
        #expect(taken == 33)
        anna.abort()
        await service.listener.shutdown()
    }

    @Test("A listener that refuses new links keeps its existing ones")
    func refusesNewLinks() async throws {
        let service = try await Service()
        let (anna, ben) = try await service.openPair()
        service.listener.refuseNewLinks()
        var late = App(try await service.connect())
        #expect(try await late.run().failure?.cause == .incompatible(.refused(.busy)))
        async let last = App.end(of: ben)
        anna.link.close()
        #expect(try await last == .finished(unsentMessages: 0))
    }
}

extension App {
    fileprivate static func end(of app: App) async throws -> LinkEnd? {
        var app = app
        return try await app.run().end
    }
}
