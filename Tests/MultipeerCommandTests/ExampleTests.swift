import Foundation
import Testing

@Suite("The examples of README")
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

    @Test("A link over one's own transport")
    func ownTransport() async throws {
        let finished = try await Self.run("OwnTransport")
        let lines = Set(finished.output.split(separator: "\n"))
        #expect(finished.status == 0, "\(finished.errors)")
        // Whoever hears the other first closes; messages that were on the way still arrive.
        #expect(lines == ["Anna got: hello from Ben", "Ben got: hello from Anna"])
    }

    @Test("A link over TCP")
    func overTCP() async throws {
        let finished = try await Self.run("OverTCP")
        #expect(finished.status == 0 && finished.output == "Ben got: hello\n", "\(finished.errors)")
    }
}
