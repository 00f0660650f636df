import Foundation
import Glibc
import MultipeerNIO
import MultipeerTestSupport
import Testing

@Suite("Messages without proof of delivery, R13.6-3", .endsIfItHangs)
struct UndeliveredTests {
    @Test("A chat names the lines that a killed peer did not receive")
    func chat() async throws {
        let (anna, ben) = (try await Person("Anna"), try await Person("Ben"))
        func chat(_ person: Person, joining address: String? = nil) throws -> Tool {
            try Tool(
                ["chat"] + (address.map { [$0] } ?? [])
                    + ["--listen", "127.0.0.1:0", "--accept", "all", "--accept-unverified", "--json"] + person.store,
                hasInput: true)
        }
        let stopped = try chat(ben)
        let address = try await stopped.address()
        let sender = try chat(anna, joining: address)
        _ = try await sender.event("memberConnected")
        sender.type("arrives")
        _ = try await stopped.event("message")
        try await stopped.stop()
        let lines = (1...12).map { "line \($0)" }
        for line in lines { sender.type(line) }
        sender.type("/who")
        // All lines have been given to the transport, which takes them.
        _ = try await sender.event("member")
        stopped.send(SIGKILL)
        let gone = try await sender.event("memberDisconnected")
        #expect(gone["departure"]?.string == "lost")
        let (unsent, inDoubt) = (gone["unsentMessages"]?.number ?? 0, gone["messagesInDoubt"]?.number ?? 0)
        // The one that arrived may not be acknowledged yet.
        #expect(unsent + inDoubt >= 12, "\(sender.shown)")
        try await eventually { sender.events.all("messageUndelivered").count == 10 }
        let named = sender.events.all("messageUndelivered")
        #expect(named.compactMap { $0["text"]?.string } == Array(lines.suffix(10)))
        #expect(named.allSatisfy { ["inDoubt", "notSent"].contains($0["result"]?.string) })
        sender.endInput()
        #expect(await sender.finish().status == 0)
    }

    @Test("A text that its receiver never reads is not reported as sent")
    func text() async throws {
        let neighbourhood = try Neighbourhood()
        let path = neighbourhood.scratch / "socket"
        let peer = try await DeafPeer(at: .unixSocket(path: path))
        let sender = try Tool(
            ["send", "--text", "-", "--to", "unix:" + path, "--json"] + neighbourhood.store("Anna")
                + neighbourhood.options,
            hasInput: true, environment: ["XDG_CACHE_HOME": neighbourhood.scratch / "cache"])
        // More than a peer takes that reads nothing, and less than the tool accepts at once.
        sender.type(String(repeating: "x", count: 900_000))
        sender.endInput()
        _ = try await sender.event("memberConnected")
        try await peer.close()
        let finished = await sender.finish()
        #expect(finished.status == 69, "\(finished.output)\(finished.errors)")
        #expect(finished.events.all("messageSent").isEmpty)
    }
}
