import Foundation
import MultipeerCore
import MultipeerNIO
import MultipeerTestSupport
import NIOCore
import Testing

@Suite("Connecting and binding", .endsIfItHangs)
struct ConnectTests {
    private func connect(
        to endpoint: Endpoint, timeout: Duration = .seconds(10)
    ) async throws -> LinkConnection {
        try await LinkConnector.connect(
            to: endpoint, configuration: Nodes.anna(), options: Nodes.options, eventLoopGroup: Nodes.group,
            timeout: timeout)
    }

    /// Waits until a connection fails so. Another test may be spawning a process at this moment: until that has closed
    /// what it inherited, it holds the sockets that were open here, and a socket closed here lives on for that long.
    private func expectUnreachable(_ endpoint: Endpoint, _ expected: ConnectError) async throws {
        try await eventually {
            do {
                try await connect(to: endpoint).abort()
                return false
            } catch {
                return error as? ConnectError == expected
            }
        }
    }

    @Test("If nobody listens, the connection is refused")
    func refused() async throws {
        try await expectUnreachable(.tcp(host: "127.0.0.1", port: 1), .unreachable(.refused))
    }

    @Test("Unix sockets: a missing one, one without a listener, and a path that is too long")
    func unixSockets() async throws {
        let folder = try TemporaryFolder()
        let (missing, long) = (folder.socket("none"), folder.socket(String(repeating: "x", count: 200)))
        await #expect(throws: ConnectError.unreachable(.noSuchSocket)) { try await connect(to: missing) }
        await #expect(throws: ConnectError.invalidEndpoint) { try await connect(to: long) }
        let stale = folder.socket("stale")
        try await Self.leaveStaleSocket(at: stale)
        try await expectUnreachable(stale, .unreachable(.refused))
    }

    @Test("A name without addresses, and invalid ports")
    func invalidEndpoints() async throws {
        await #expect(throws: ConnectError.resolutionFailed) {
            try await connect(to: .tcp(host: "no such name", port: 7))
        }
        for port in [0, -1, 65_536] {
            await #expect(throws: ConnectError.invalidEndpoint) {
                try await connect(to: .tcp(host: "127.0.0.1", port: port))
            }
        }
        await #expect(throws: ConnectError.invalidEndpoint) { try await connect(to: .tcp(host: "", port: 7)) }
    }

    @Test("If nobody accepts, the time runs out")
    func timesOut() async throws {
        let server = try await ForeignServer.deaf()
        var links: [LinkConnection] = []
        // The system takes one or two into its queue, and then answers no more.
        let error: ConnectError? = await {
            for _ in 0..<16 {
                do {
                    links.append(try await connect(to: server.endpoint, timeout: .milliseconds(100)))
                } catch {
                    return error as? ConnectError
                }
            }
            return nil
        }()
        #expect(error == .timedOut)
        for link in links { link.abort() }
        try await server.close()
    }

    @Test("A cancelled task does not connect")
    func cancelled() async throws {
        let service = try await Service()
        let endpoint = service.listener.localEndpoint
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await connect(to: endpoint)
        }
        await #expect(throws: ConnectError.cancelled) { try await task.outcome() }
    }

    // MARK: Binding

    /// A socket file as a program leaves it that ends without removing it.
    private static func leaveStaleSocket(at endpoint: Endpoint) async throws {
        guard case .unixSocket(let path) = endpoint else { return }
        let service = try await Service(at: endpoint)
        try FileManager.default.moveItem(atPath: path, toPath: path + "~")
        await service.listener.shutdown()
        try FileManager.default.moveItem(atPath: path + "~", toPath: path)
    }

    private func bindError(at endpoint: Endpoint) async throws -> BindError? {
        do {
            let service = try await Service(at: endpoint)
            await service.listener.shutdown()
            return nil
        } catch let error as BindError {
            return error
        }
    }

    @Test("Two listeners do not share an address, and another host's address is refused")
    func addresses() async throws {
        let service = try await Service()
        #expect(try await bindError(at: service.listener.localEndpoint) == .addressInUse)
        #expect(try await bindError(at: .tcp(host: "192.0.2.1", port: 0)) == .addressUnavailable)
        #expect(try await bindError(at: .tcp(host: "no such name", port: 0)) == .resolutionFailed)
        #expect(try await bindError(at: .tcp(host: "127.0.0.1", port: 65_536)) == .invalidEndpoint)
        await service.listener.shutdown()
        let endpoint = service.listener.localEndpoint
        try await eventually { try await bindError(at: endpoint) == nil }
    }

    @Test("A Unix socket's file: a live one stays, a stale one is replaced, another file stays, and the end removes it")
    func socketFiles() async throws {
        let folder = try TemporaryFolder()
        let (live, stale, other) = (folder.socket("live"), folder.socket("stale"), folder.path + "/other")
        let service = try await Service(at: live)
        #expect(try await bindError(at: live) == .addressInUse)
        try await Self.leaveStaleSocket(at: stale)
        try await eventually { try await bindError(at: stale) == nil }
        #expect(!FileManager.default.fileExists(atPath: folder.path + "/stale"))

        try Data("not a socket".utf8).write(to: URL(fileURLWithPath: other))
        #expect(try await bindError(at: .unixSocket(path: other)) == .pathOccupied)
        #expect(FileManager.default.contents(atPath: other) == Data("not a socket".utf8))
        #expect(try await bindError(at: folder.socket("no/such/folder")) == .noSuchFolder)
        #expect(try await bindError(at: folder.socket(String(repeating: "x", count: 200))) == .invalidEndpoint)

        // Somebody else's file in the place of ours is not ours to remove.
        try FileManager.default.removeItem(atPath: folder.path + "/live")
        try Data().write(to: URL(fileURLWithPath: folder.path + "/live"))
        await service.listener.shutdown()
        #expect(FileManager.default.fileExists(atPath: folder.path + "/live"))
    }
}
