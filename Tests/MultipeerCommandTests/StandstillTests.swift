import Foundation
import Glibc
import MultipeerTestSupport
import Testing

@Suite("A process that was stopped, SPEC §13.7, R18-2", .endsIfItHangs)
struct StandstillTests {
    /// Begins a chat, or joins one.
    private func chat(_ person: Person, joining address: String? = nil) throws -> Tool {
        try Tool(
            ["chat"] + (address.map { [$0] } ?? [])
                + ["--listen", "127.0.0.1:0", "--accept", "all", "--accept-unverified", "--json"] + person.store,
            hasInput: true)
    }

    private func texts(_ tool: Tool) -> [String] { tool.events.all("message").compactMap { $0["text"]?.string } }

    @Test("A member that was stopped for longer than a peer may be silent reads its socket, and loses no message")
    func messages() async throws {
        let (anna, ben) = (try await Person("Anna"), try await Person("Ben"))
        let stopped = try chat(ben)
        let address = try await stopped.address()
        let sender = try chat(anna, joining: address)
        _ = try await sender.event("memberConnected")
        _ = try await stopped.event("memberConnected")
        sender.type("before")
        try await eventually { texts(stopped) == ["before"] }
        try await stopped.stop()
        let lines = (1...200).map { "line \($0)" }
        for line in lines { sender.type(line) }
        // The system connects this one, and nobody answers it. It gives up one second after a silent peer is given up (15 s).
        let visitor = try await Tool.run(["connect", address, "--accept-unverified", "--json", "--timeout", "16"])
        #expect(visitor.status != 0)
        _ = try await sender.event("memberDisconnected")
        stopped.send(SIGCONT)
        // The first event shows whether the messages were read before the link failed.
        try await eventually {
            texts(stopped).count > lines.count || !stopped.events.all("memberDisconnected").isEmpty
        }
        #expect(texts(stopped) == ["before"] + lines, "\(stopped.events)\n\(sender.events)")
        for tool in [sender, stopped] {
            tool.endInput()
            #expect(await tool.finish().status == 0)
        }
    }
}
