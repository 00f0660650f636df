import Foundation
import MultipeerTestSupport
import Testing

@Suite("The examples of README and docs/examples.md", .endsIfItHangs)
struct ExampleTests {
    private static func run(_ name: String) async throws -> Tool.Finished {
        let program = URL(fileURLWithPath: Tool.multipeer).deletingLastPathComponent().appendingPathComponent(name)
        return try await Tool([], program: program.path).finish()
    }

    @Test("Two links in memory")
    func twoLinks() async throws {
        let finished = try await Self.run("TwoLinks")
        #expect(finished.status == 0 && finished.output == "Ben got: hello\n", "\(finished.errors)")
    }

    @Test("A link over a custom transport")
    func ownTransport() async throws {
        let finished = try await Self.run("OwnTransport")
        let lines = Set(finished.output.split(separator: "\n"))
        #expect(finished.status == 0, "\(finished.errors)")
        // The process that hears the other first closes; messages that were on the way still arrive.
        #expect(lines == ["Anna got: hello from Ben", "Ben got: hello from Anna"])
    }

    @Test("A link over TCP")
    func overTCP() async throws {
        let finished = try await Self.run("OverTCP")
        #expect(finished.status == 0 && finished.output == "Ben got: hello\n", "\(finished.errors)")
    }

    @Test("A doorbell that the tool rings twice")
    func doorbell() async throws {
        // It is a peer of the tool's own service, where those of other tests may be as well.
        let name = "ben-\(UInt32.random(in: 0...UInt32.max))"
        let ben = try Self.program("Doorbell", [name])
        let cleo = try Self.visitor("Cleo", to: name)
        _ = try await ben.line(containing: "Cleo invites you. Accept? [y/N]")
        ben.type("n")
        #expect(await cleo.finish().status == 77)
        let anna = try Self.visitor("Anna", to: name)
        _ = try await ben.line(containing: "Anna invites you. Accept? [y/N]")
        ben.type("y")
        _ = try await anna.line(containing: "\(name) is here")
        anna.type("hello")
        _ = try await ben.line(containing: "Anna: hello")
        anna.endInput()
        #expect(await anna.finish().status == 0)
        ben.send(SIGTERM)
        _ = await ben.finish()
    }

    private static func visitor(_ name: String, to host: String) throws -> Tool {
        try Tool(
            [
                "chat", host, "--name", name, "--store", try Scratch.forProcess(), "--interface", "lo", "--listen",
                "127.0.0.1:0",
            ],
            hasInput: true)
    }

    @Test("A chat of three")
    func chat() async throws {
        let anna = try Self.chat("Anna", "127.0.0.1:0")
        let address = try await anna.line(containing: "listening at").dropFirst("listening at ".count)
        let ben = try Self.chat("Ben", "127.0.0.1:0", String(address))
        _ = try await ben.line(containing: "Anna is here")
        let cleo = try Self.chat("Cleo", "127.0.0.1:0", String(address))
        _ = try await cleo.line(containing: "Ben is here")
        cleo.type("hello")
        _ = try await ben.line(containing: "Cleo: hello")
        cleo.endInput()
        _ = try await anna.line(containing: "Cleo is gone: left the session")
        ben.endInput()
        anna.endInput()
        for chat in [anna, ben, cleo] { #expect(await chat.finish().status == 0) }
    }

    private static func chat(_ arguments: String...) throws -> Tool { try program("Chat", arguments) }

    /// Examples print to people; here each line is to come at once.
    private static func program(_ name: String, _ arguments: [String]) throws -> Tool {
        let program = URL(fileURLWithPath: Tool.multipeer).deletingLastPathComponent().appendingPathComponent(name)
        return try Tool(
            ["-oL", program.path] + arguments, program: "/usr/bin/stdbuf", hasInput: true,
            environment: ["XDG_DATA_HOME": try Scratch.forProcess(), "MULTIPEER_INTERFACE": "lo"])
    }
}
