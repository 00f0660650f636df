import Glibc
import MultipeerTestSupport
import Testing

/// Every command that listens, and what strangers do at its door. Each test has a service of its own, so that tests do not meet.
@Suite("The doors of the tool, SPEC §19", .timeLimit(.minutes(3)))
struct DoorTests {
    private let neighbourhood: Neighbourhood

    init() throws { neighbourhood = try Neighbourhood() }

    private var scratch: Scratch { neighbourhood.scratch }

    private func store(_ name: String) -> [String] { neighbourhood.store(name) }

    /// Strangers from four addresses that say nothing: as many as a listener has places for.
    private func silence(at address: String) throws -> HeldSockets {
        try HeldSockets(32, fromEachOf: 2...5, to: address)
    }

    @Test("receive: silent strangers keep no sender out")
    func receive() async throws {
        try scratch.write("in/.keep", [])
        let path = try scratch.write("picture", [1, 2, 3])
        let receiver = try Tool(
            ["receive", "--json", "--once", "--accept", "all", "--dir", scratch / "in", "--listen", "127.0.0.1:0"]
                + store("Ben") + neighbourhood.options)
        let port = try #require(try await receiver.event("advertised")["port"]?.number)
        let silent = try silence(at: "127.0.0.1:\(port)")
        let sent = try await Tool.run(["send", path, "--to", "Ben"] + store("Anna") + neighbourhood.options)
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(await receiver.finish().status == 0)
        withExtendedLifetime(silent) {}
    }

    @Test("chat: silent strangers keep nobody out who joins")
    func chat() async throws {
        let chat = try Tool(
            ["chat", "--json", "--stay", "--listen", "127.0.0.1:0", "--accept", "all", "--trust-on-first-use"]
                + store("Ben"))
        let address = try await chat.address()
        let silent = try silence(at: address)
        let guest = try Tool(
            ["chat", address, "--json", "--stay", "--trust-on-first-use"] + store("Anna"))
        _ = try await guest.event("memberConnected")
        _ = try await chat.event("memberConnected")
        for tool in [guest, chat] {
            tool.send(SIGINT)
            #expect(await tool.finish().status == 130)
        }
        withExtendedLifetime(silent) {}
    }

    @Test("listen: silent strangers keep nobody out")
    func listen() async throws {
        let listener = try Tool(
            ["listen", "--port", "0", "--once", "--json", "--accept", "all", "--trust-on-first-use"] + store("Ben"))
        let address = try await listener.address()
        let silent = try silence(at: address)
        let guest = try await Tool.run(
            ["connect", address, "--json", "--message", "x", "--trust-on-first-use"] + store("Anna"))
        #expect(guest.status == 0, "\(guest.errors)")
        #expect(await listener.finish().status == 0)
        withExtendedLifetime(silent) {}
    }
}
