import Foundation
import MultipeerTestSupport
import Testing

@Suite("Failures and their exit statuses", .endsIfItHangs)
struct FailureTests {
    @Test("Nobody listens: 69")
    func unreachable() async throws {
        let scratch = try Scratch()
        for address in ["127.0.0.1:1", "unix:\(scratch / "none")"] {
            let finished = try await Tool.run(["connect", address, "--accept-unverified", "--json"])
            #expect(finished.status == 69)
            #expect(finished.events.first("failed")?["phase"] == .string("connection"))
            #expect(finished.events.first("failed")?["exitStatus"] == .number(69))
            #expect(finished.errors.contains("remedy:"))
        }
    }

    @Test("A server that says nothing: 75")
    func silent() async throws {
        let server = try PlainServer(reply: nil)
        let finished = try await Tool.run(
            ["connect", server.address, "--accept-unverified", "--json", "--timeout", "2"])
        #expect(finished.status == 75)
        #expect(finished.events.first("failed")?["phase"] == .string("negotiation"))
        withExtendedLifetime(server) {}
    }

    @Test(
        "A server of another protocol: 76",
        arguments: ["HTTP/1.1 400 Bad Request\r\n\r\n", "SSH-2.0-OpenSSH\r\n", "\0"])
    func garbageServer(reply: String) async throws {
        let server = try PlainServer(reply: Array(reply.utf8))
        let finished = try await Tool.run(["connect", server.address, "--accept-unverified", "--json"])
        #expect(finished.status == 76)
        #expect(finished.events.first("failed")?["reason"]?.string?.contains("do not decode") == true)
    }

    @Test("A server that is busy: 69")
    func busyServer() async throws {
        // Magic, and REFUSAL of code 3 with empty lists (SPEC §7.5).
        let server = try PlainServer(reply: Array("MPEER\r\n\0".utf8) + [0x02, 0x00, 0x03, 0x03, 0x00, 0x00])
        let finished = try await Tool.run(["connect", server.address, "--accept-unverified", "--json"])
        #expect(finished.status == 69)
        #expect(finished.events.first("failed")?["reason"]?.string?.contains("busy") == true)
    }

    @Test("A listener that serves continues after bad clients")
    func survives() async throws {
        let listener = try Tool(["listen", "--port", "0", "--json", "--accept", "all", "--accept-unverified"])
        let address = try await listener.address()
        try PlainServer.send(Array("GET / HTTP/1.1\r\n\r\n".utf8), to: address)
        let refused = try await Tool.run(["connect", address, "--json"])
        #expect(refused.status == 77)
        let good = try await Tool.run([
            "connect", address, "--json", "--accept-unverified", "--message", "still there?",
        ])
        #expect(good.status == 0)
        listener.send(SIGTERM)
        let finished = await listener.finish()
        #expect(finished.status == 0)
        #expect(finished.events.first("message")?["text"] == .string("still there?"))
        #expect(finished.events.all("failed").map { $0["link"]?.number } == [1, 2])
    }

    @Test("A port that is in use is reported, with a remedy")
    func portTaken() async throws {
        let server = try PlainServer(reply: nil)
        let port = String(server.address.split(separator: ":").last ?? "")
        let finished = try await Tool.run(["listen", "--port", port, "--accept-unverified", "--json"])
        #expect(finished.status == 71)
        #expect(finished.events.first("failed")?["phase"] == .string("listening"))
        withExtendedLifetime(server) {}
    }

    @Test(
        "Usage errors: 64",
        arguments: [
            ["nonsense"], ["listen"], ["listen", "--port", "70000"], ["listen", "--port", "1", "--unix", "x"],
            ["listen", "--port", "0", "--accept", "maybe"], ["connect"], ["connect", "nowhere"],
            ["connect", "::1:4711"], ["connect", "host:0x10"], ["connect", "127.0.0.1:0"], ["connect", "unix:"],
            ["connect", "h:1", "--expect", "abc"], ["connect", "h:1", "--timeout", "0"],
            ["connect", "h:1", "--timeout", "601"], ["connect", "h:1", "--encryption", "maybe"],
            ["connect", "h:1", "--suite", "rot13"], ["connect", "h:1", "--pin", "sha256:1234"],
            ["connect", "h:1", "--pin", "x", "--accept-unverified"],
            ["connect", "h:1", "--trust-on-first-use", "--accept-unverified"],
            ["connect", "h:1", "--certificate", "x"], ["connect", "h:1", "--key", "x"],
            ["connect", "h:1", "--match-name"], ["connect", "h:1", "--name", "\u{1B}[31m"],
            ["connect", "h:1", "--stall-timeout", "0"],
            ["connect", "h:1", "--context", String(repeating: "x", count: 16_385)],
            ["identity", "create", ""], ["identity", "create", String(repeating: "x", count: 64)],
            ["certificate", "authority", "Root"], ["certificate", "issue", "Ada", "--out", "x"],
            ["decode", "--input", "octal"],
        ])
    func usage(arguments: [String]) async throws {
        let finished = try await Tool.run(arguments)
        #expect(finished.status == 64)
        #expect(!finished.errors.isEmpty)
        #expect(finished.output.isEmpty || arguments.count == 2 && arguments[1] == "127.0.0.1:0")
    }

    @Test(
        "Help is no error, and names every command",
        arguments: [
            (Tool.multipeer, ["send", "receive", "chat", "identity", "certificate"]),
            (Tool.laboratory, ["listen", "connect", "decode", "conformance", "vectors"]),
        ])
    func help(program: String, commands: [String]) async throws {
        let finished = try await Tool.run(["--help"], program: program)
        #expect(finished.status == 0)
        for command in commands { #expect(finished.output.contains("\n  \(command) ")) }
    }

    @Test(
        "A command of the laboratory is a usage error that names its program",
        arguments: ["listen", "connect", "decode", "conformance", "vectors"])
    func otherProgram(command: String) async throws {
        let finished = try await Tool.run([command, "--help"], program: Tool.multipeer)
        #expect(finished.status == 64)
        #expect(finished.errors.contains("multipeer-lab \(command)"), "\(finished.errors)")
    }
}

@Suite("Signals and pipes", .endsIfItHangs)
struct SignalTests {
    private static let listening = ["listen", "--port", "0", "--json", "--accept", "all", "--accept-unverified"]

    @Test("A listener stops in good order at a signal, and its sessions with it", arguments: [SIGINT, SIGTERM, SIGHUP])
    func listener(signal: Int32) async throws {
        let listener = try Tool(Self.listening)
        let address = try await listener.address()
        let connector = try Tool(["connect", address, "--json", "--accept-unverified", "--stay"])
        _ = try await connector.event("opened")
        _ = try await listener.event("opened")
        listener.send(signal)
        let (one, other) = (await listener.finish(), await connector.finish())
        #expect([one.status, other.status] == [0, 0])
        #expect(one.events.names.last == "closed" && other.events.names.last == "closed")
    }

    @Test("A listener that nohup started continues when its terminal closes")
    func nohup() async throws {
        let script = #"trap "" HUP; exec "$0" "$@""#
        let listener = try Tool(["-c", script, Tool.laboratory] + Self.listening, program: "/bin/sh")
        let address = try await listener.address()
        listener.send(SIGHUP)
        let connector = try await Tool.run(["connect", address, "--json", "--accept-unverified"])
        #expect(connector.status == 0)
        listener.send(SIGTERM)
        #expect(await listener.finish().status == 0)
    }

    @Test(
        "A connection whose terminal closes, or that is asked to stop, has its own status",
        arguments: [(SIGHUP, 129), (SIGTERM, 143)] as [(Int32, Int32)])
    func hangUp(signal: Int32, status: Int32) async throws {
        let server = try PlainServer(reply: nil)
        let connector = try Tool(["connect", server.address, "--json", "--accept-unverified", "--timeout", "600"])
        _ = try await connector.event("connected")
        connector.send(signal)
        #expect(await connector.finish().status == status)
        withExtendedLifetime(server) {}
    }

    @Test("A listener without visitors stops as well", arguments: [[], ["--once"]])
    func idle(extra: [String]) async throws {
        let listener = try Tool(Self.listening + extra)
        _ = try await listener.address()
        listener.send(SIGINT)
        let finished = await listener.finish()
        #expect(finished.status == (extra.isEmpty ? 0 : 130))
    }

    @Test("A connection closes in good order at SIGINT; the remote peer sees no failure")
    func connector() async throws {
        let listener = try Tool(Self.listening + ["--once"])
        let address = try await listener.address()
        let connector = try Tool(["connect", address, "--json", "--accept-unverified", "--stay", "--message", "x"])
        _ = try await connector.event("opened")
        _ = try await listener.event("message")
        connector.send(SIGINT)
        let (one, other) = (await listener.finish(), await connector.finish())
        #expect([one.status, other.status] == [0, 130])
        #expect(other.events.names.last == "closed")
    }

    @Test("SIGINT before anybody answers")
    func interruptedEarly() async throws {
        let server = try PlainServer(reply: nil)
        // Within the handshake's ten seconds a busy machine may not come round to the signal.
        let connector = try Tool(["connect", server.address, "--json", "--accept-unverified", "--timeout", "600"])
        _ = try await connector.event("connected")
        connector.send(SIGINT)
        let finished = await connector.finish()
        #expect(finished.status == 130)
        withExtendedLifetime(server) {}
    }

    @Test("SIGINT while the system still connects")
    func interruptedConnect() async throws {
        let server = try FullServer()
        let before = try server.waitingClients()
        let connector = try Tool(["connect", server.address, "--json", "--accept-unverified", "--timeout", "600"])
        _ = try await connector.event("connecting")
        // One of the others may get an answer meanwhile.
        try await eventually { try !server.waitingClients().isSubset(of: before) }
        connector.send(SIGINT)
        let finished = await connector.finish()
        #expect(finished.status == 130)
        #expect(finished.events.names == ["connecting"])
        withExtendedLifetime(server) {}
    }

    @Test("A reader that closes its pipe stops the listener in good order")
    func brokenPipe() async throws {
        // Nobody reads any more when the pipe is closed: a read under way would take what the listener writes next, perhaps all of it.
        let listener = try Tool(Self.listening, readsLines: 1)
        let address = try await listener.address()
        listener.closeOutput()
        let connector = try await Tool.run(["connect", address, "--json", "--accept-unverified", "--stay"])
        let finished = await listener.finish()
        #expect(finished.status == 141)
        // The peer was notified that the program stops, before or after the session was open.
        #expect([0, 69].contains(connector.status))
    }
}

@Suite("Transports", .endsIfItHangs)
struct TransportTests {
    @Test("IPv6 and Unix sockets work; the socket's file is removed with the listener")
    func others() async throws {
        let scratch = try Scratch()
        for place in [["--host", "::1", "--port", "0"], ["--unix", scratch / "socket"]] {
            let listener = try Tool(
                ["listen", "--once", "--json", "--accept", "all", "--accept-unverified"] + place)
            let address = try await listener.address()
            #expect(address.hasPrefix("[::1]:") || address == "unix:" + (scratch / "socket"))
            let connector = try await Tool.run(["connect", address, "--accept-unverified", "--message", "x"])
            let finished = await listener.finish()
            #expect([finished.status, connector.status] == [0, 0])
        }
        #expect(!FileManager.default.fileExists(atPath: scratch / "socket"))
    }
}
