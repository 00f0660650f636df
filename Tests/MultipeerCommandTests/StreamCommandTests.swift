import Foundation
import Glibc
import MultipeerTestSupport
import Testing

@Suite("Streams through pipes, SPEC §15.6", .endsIfItHangs)
struct StreamCommandTests {
    private static let trusting = ["--json", "--accept-unverified"]

    private static func listening(_ extra: [String] = []) -> [String] {
        ["listen", "--port", "0", "--once", "--accept", "all"] + trusting + extra
    }

    /// Waits for the address, which goes to standard error when standard output is for a stream.
    private static func address(_ listener: Tool) async throws -> String {
        guard let address = try await listener.errorEvent("listening")["address"]?.string else {
            throw Tool.Failure(description: "no address")
        }
        return address
    }

    @Test("Standard input arrives at standard output, byte for byte", arguments: [0, 1, 32_769, 5_000_000])
    func pipe(size: Int) async throws {
        let listener = try Tool(Self.listening(["--stream", "backup"]))
        let address = try await Self.address(listener)
        // Text, so that the test can compare it.
        let content = TransferTests.bytes(size).map { UInt8(ascii: "a") + $0 % 26 }
        let connector = try await Tool.run(
            ["connect", address, "--stream", "backup", "--message", "first"] + Self.trusting, input: content)
        let finished = await listener.finish()
        #expect([finished.status, connector.status] == [0, 0])
        #expect(Array(finished.output.utf8) == content)
        #expect(finished.errorEvents.first("streamReceived")?["size"] == .number(Double(size)))
        #expect(connector.events.first("streamSent")?["size"] == .number(Double(size)))
        #expect(finished.errorEvents.first("message")?["text"] == .string("first"))
    }

    @Test("tar into a stream and out of it gives the same files")
    func tar() async throws {
        let scratch = try Scratch()
        _ = try scratch.write("from/a/b.bin", TransferTests.bytes(300_000))
        _ = try scratch.write("from/c.txt", "text")
        try FileManager.default.createDirectory(atPath: scratch / "to", withIntermediateDirectories: true)
        let program = #"exec "$0" "$@" | tar x -C \#(scratch / "to")"#
        let listener = try Tool(
            ["-c", program, Tool.laboratory] + Self.listening(["--stream", "backup"]), program: "/bin/sh")
        let address = try await Self.address(listener)
        let source = #"tar c -C \#(scratch / "from") . | "$0" "$@""#
        let sent = try await Tool(
            ["-c", source, Tool.laboratory, "connect", address, "--stream", "backup"] + Self.trusting,
            program: "/bin/sh"
        ).finish()
        #expect(sent.status == 0)
        #expect(await listener.finish().status == 0)
        #expect(try scratch.read("to/a/b.bin") == TransferTests.bytes(300_000))
        #expect(try scratch.read("to/c.txt") == Array("text".utf8))
    }

    @Test(
        "A stream that nobody accepts is refused with a remedy, and does not hang",
        arguments: [[], ["--stream", "other"]])
    func unwanted(options: [String]) async throws {
        let listener = try Tool(Self.listening(options))
        let address = options.isEmpty ? try await listener.address() : try await Self.address(listener)
        let connector = try await Tool.run(
            ["connect", address, "--stream", "backup"] + Self.trusting, input: TransferTests.bytes(1_000_000))
        #expect(connector.status == 77)
        #expect(connector.events.first("streamFailed")?["direction"] == .string("sent"))
        #expect(connector.events.first("failed")?["phase"] == .string("stream"))
        #expect(connector.errors.contains("--stream backup"))
        #expect(await listener.finish().status == 0)
    }

    @Test("A reader that closes stops the stream, and both commands say so")
    func readerGone() async throws {
        let listener = try Tool(
            ["-c", #"exec "$0" "$@" | head -c 10 >/dev/null"#, Tool.laboratory] + Self.listening(["--stream", "s"]),
            program: "/bin/sh")
        let address = try await Self.address(listener)
        let connector = try await Tool.run(
            ["connect", address, "--stream", "s"] + Self.trusting, input: TransferTests.bytes(5_000_000))
        #expect(connector.status == 77)
        let finished = await listener.finish()
        #expect(finished.errorEvents.first("streamFailed")?["direction"] == .string("received"))
    }

    @Test("A sender that is killed leaves no stream that looks complete")
    func senderKilled() async throws {
        let listener = try Tool(Self.listening(["--stream", "s"]))
        let address = try await Self.address(listener)
        let connector = try Tool(["connect", address, "--stream", "s"] + Self.trusting, hasInput: true)
        _ = try await listener.errorEvent("opened")
        connector.send(SIGKILL)
        _ = await connector.finish()
        let finished = await listener.finish()
        #expect(finished.status == 69)
        #expect(finished.errorEvents.first("streamReceived") == nil)
    }

    @Test("A message from standard input is one message")
    func message() async throws {
        let listener = try Tool(Self.listening())
        let address = try await listener.address()
        let connector = try await Tool.run(
            ["connect", address, "--message", "-"] + Self.trusting, input: Array("two\nlines\n".utf8))
        #expect(connector.status == 0)
        #expect(await listener.finish().events.all("message").map { $0["text"]?.string } == ["two\nlines\n"])
    }

    @Test("Standard input is read for one purpose only")
    func usage() async throws {
        for options in [["--message", "-", "--message", "-"], ["--message", "-", "--stream", "s"]] {
            #expect(try await Tool.run(["connect", "127.0.0.1:1"] + options + Self.trusting).status == 64)
        }
    }
}
