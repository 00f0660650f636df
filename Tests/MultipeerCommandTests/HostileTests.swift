import Foundation
import Glibc
import MultipeerNIO
import MultipeerTestSupport
import Testing

@Suite("Attackers and stopped peers", .endsIfItHangs)
struct HostileTests {
    private static let listening = ["listen", "--port", "0", "--json", "--accept", "all", "--accept-unverified"]
    private static let connecting = ["--json", "--accept-unverified"]

    @Test("With --once silence and junk do not count: the honest peer is served at once")
    func once() async throws {
        let listener = try Tool(Self.listening + ["--once"])
        let address = try await listener.address()
        let silent = try HeldSockets(8, to: address)
        try PlainServer.send([], to: address)
        try PlainServer.send([0], to: address)
        try PlainServer.send(Array("GET / HTTP/1.1\r\n\r\n".utf8), to: address)
        let connector = try await Tool.run(["connect", address, "--message", "x"] + Self.connecting)
        let finished = await listener.finish()
        #expect([finished.status, connector.status] == [0, 0])
        #expect(finished.events.all("message").count == 1)
        withExtendedLifetime(silent) {}
    }

    @Test("With --once the session that opens closes the others, and later peers hear that it is busy")
    func onceChooses() async throws {
        let listener = try Tool(Self.listening + ["--once"])
        let address = try await listener.address()
        let silent = try HeldSockets(2, to: address)
        let first = try Tool(["connect", address, "--stay"] + Self.connecting)
        _ = try await first.event("opened")
        _ = try await listener.event("opened")
        let late = try await Tool.run(["connect", address] + Self.connecting)
        #expect(late.status == 69)
        #expect(late.events.first("failed")?["reason"]?.string?.contains("busy") == true)
        #expect(silent.areClosed())
        first.send(SIGINT)
        let finished = await listener.finish()
        #expect(finished.status == 0)
        #expect(await first.finish().status == 130)
    }

    @Test("More connections than descriptors: an honest peer is served, and the process keeps descriptors for itself")
    func descriptors() async throws {
        let listener = try Tool(
            ["-c", "ulimit -n 64; exec \"$0\" \"$@\"", Tool.laboratory] + Self.listening, program: "/bin/sh")
        let address = try await listener.address()
        let silent = try HeldSockets(200, to: address)
        let connector = try await Tool.run(["connect", address, "--message", "x"] + Self.connecting)
        #expect(connector.status == 0)
        #expect((1..<60).contains(listener.descriptors.count))
        listener.send(SIGTERM)
        #expect(await listener.finish().status == 0)
        withExtendedLifetime(silent) {}
    }

    @Test("Without descriptors the listener waits, and continues when there are some")
    func shortage() async throws {
        // The process inherits the descriptors 10 to 37, so its own count of them is wrong. Those that it has stay: by one
        // of them Foundation sees when it ends.
        let inherited = #"for n in {10..37}; do [ -e /proc/$$/fd/$n ] || eval "exec $n</dev/null"; done; "#
        let listener = try Tool(
            ["-c", inherited + "ulimit -n 64; exec \"$0\" \"$@\"", Tool.laboratory] + Self.listening,
            program: "/bin/bash")
        let address = try await listener.address()
        do {
            let silent = try HeldSockets(100, to: address)
            // Connections wait, no descriptor is free but the last eight, and no thread runs: nothing is accepted, and nothing tries to.
            try await listener.sleepsWithoutDescriptors(below: 56)
            withExtendedLifetime(silent) {}
        }
        let connector = try await Tool.run(["connect", address, "--message", "x"] + Self.connecting)
        #expect(connector.status == 0)
        listener.send(SIGTERM)
        #expect(await listener.finish().status == 0)
    }

    /// A connection that sends a long file to a process that is stopped as soon as the session is open.
    private static func stopped(_ scratch: Scratch, _ extra: [String]) async throws -> (Tool, Tool) {
        let path = try scratch.write("a.bin", [])
        // More than the sockets take, and no space on the disk.
        try FileHandle(forWritingTo: URL(fileURLWithPath: path)).truncate(atOffset: 4_000_000_000)
        let listener = try Tool(Self.listening + ["--save", scratch / "in"])
        let connector = try Tool(
            ["connect", try await listener.address(), "--file", path] + Self.connecting + extra)
        _ = try await connector.event("fileProgress")
        try await listener.stop()
        return (listener, connector)
    }

    @Test("A file to a stopped peer: SIGINT closes the connection all the same")
    func interruptedFile() async throws {
        let scratch = try Scratch()
        let (listener, connector) = try await Self.stopped(scratch, [])
        connector.send(SIGINT)
        #expect(await connector.finish().status == 130)
        listener.send(SIGKILL)
        _ = await listener.finish()
    }

    @Test("A file to a stopped peer: the command stops with the reason")
    func stalledFile() async throws {
        let scratch = try Scratch()
        let (listener, connector) = try await Self.stopped(scratch, ["--stall-timeout", "5"])
        let finished = await connector.finish()
        #expect(finished.status == 75)
        // The file ends alone, and by name. Then the command closes, which a stopped peer does not answer either.
        let reason = finished.events.first("fileFailed")?["reason"]?.string
        #expect(reason?.hasSuffix("a.bin: it made no progress for too long") == true)
        #expect(finished.events.first("failed")?["phase"] == .string("closing"))
        listener.send(SIGKILL)
        _ = await listener.finish()
    }

    /// Nine messages find room in the queues of the sender, so that nothing but the link is left to wait for them; fifteen do not.
    @Test("Messages to a peer that reads nothing: the command stops by --stall-timeout", arguments: [9, 15])
    func stalledMessages(count: Int) async throws {
        let scratch = try Scratch()
        let peer = try await DeafPeer(at: .unixSocket(path: scratch / "socket"))
        let text = String(repeating: "x", count: 100_000)
        let finished = try await Tool.run(
            ["connect", "unix:" + (scratch / "socket"), "--stall-timeout", "1"] + Self.connecting
                + (0..<count).flatMap { _ in ["--message", text] })
        #expect(finished.status == 75)
        let failed = finished.events.first("failed")
        // Not the closing deadline, which is as long as it is.
        #expect(failed?["phase"] == .string("session"), "\(finished.output)")
        #expect(failed?["reason"]?.string?.contains("does not take what you send") == true, "\(finished.output)")
        #expect(failed?["remedy"]?.string?.contains("--stall-timeout") == true, "\(finished.output)")
        withExtendedLifetime(peer) {}
    }

    @Test("A text to a peer that reads nothing: the command stops by --stall-timeout")
    func stalledText() async throws {
        let neighbourhood = try Neighbourhood()
        let path = neighbourhood.scratch / "socket"
        let peer = try await DeafPeer(at: .unixSocket(path: path))
        let finished = try await Tool.run(
            ["send", "--text", "-", "--to", "unix:" + path, "--stall-timeout", "1", "--json"]
                + neighbourhood.store("Anna") + neighbourhood.options,
            input: [UInt8](repeating: UInt8(ascii: "x"), count: 900_000),
            environment: ["XDG_CACHE_HOME": neighbourhood.scratch / "cache"])
        #expect(finished.status == 75, "\(finished.output)\(finished.errors)")
        let reason = finished.events.first("failed")?["reason"]?.string
        #expect(reason?.contains("does not take what you send") == true, "\(finished.output)")
        withExtendedLifetime(peer) {}
    }
}
