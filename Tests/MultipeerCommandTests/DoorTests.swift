import Glibc
import MultipeerTestSupport
import Testing

/// Every command that listens, and what strangers do at its door. Each test has a service of its own, so that tests do not meet.
@Suite("The doors of the tool, SPEC §19", .endsIfItHangs)
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

    @Test("receive --once: strangers that are silent, withhold their verdict or offer nothing delay nobody")
    func once() async throws {
        try scratch.write("in/.keep", [])
        let path = try scratch.write("picture", [1, 2, 3])
        let receiver = try Tool(
            ["receive", "--json", "--once", "--accept", "all", "--dir", scratch / "in", "--listen", "127.0.0.1:0"]
                + store("Ben") + neighbourhood.options)
        let address = "127.0.0.1:\(try #require(try await receiver.event("advertised")["port"]?.number))"
        let silent = try HeldSockets(4, fromEachOf: 2...2, to: address)
        let undecided = try await RawPeer(address)
        try await undecided.inviteUntilVerdict()
        let idle = try await RawPeer(address)
        try await idle.open()
        _ = try await receiver.event("memberConnected")
        let sent = try await Tool.run(["send", path, "--to", "Ben"] + store("Anna") + neighbourhood.options)
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(await receiver.finish().status == 0)
        #expect(try Scratch.read(scratch / "in/picture") == [1, 2, 3])
        for peer in [undecided, idle] { await peer.abort() }
        withExtendedLifetime(silent) {}
    }

    @Test("receive: a connection that dies while certificates are judged frees its place at once")
    func deadConnections() async throws {
        try scratch.write("in/.keep", [])
        let receiver = try Tool(
            ["receive", "--json", "--accept", "all", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + store("Ben")
                + neighbourhood.options)
        let address = "127.0.0.1:\(try #require(try await receiver.event("advertised")["port"]?.number))"
        // As many strangers as one address has places for, three times.
        for _ in 0..<3 {
            var peers: [RawPeer] = []
            for _ in 0..<4 {
                let peer = try await RawPeer(address)
                try await peer.inviteUntilVerdict()
                peers.append(peer)
            }
            for peer in peers { await peer.abort() }
            for _ in peers { _ = try await receiver.event("memberDisconnected") }
        }
        let next = try await RawPeer(address)
        try await next.open()
        await next.close()
        receiver.send(SIGTERM)
        #expect(await receiver.finish().status == 0)
    }

    @Test(
        "receive: a stranger under the name of a peer that was dialled before is refused, and the receiver is notified"
    )
    func refusedSender() async throws {
        try scratch.write("in/.keep", [])
        let path = try scratch.write("picture", [1, 2, 3])
        func receive(_ name: String, _ arguments: [String]) async throws -> Tool {
            let receiver = try Tool(
                ["receive", "--json", "--accept", "all", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + arguments
                    + store(name) + neighbourhood.options)
            _ = try await receiver.event("advertised")
            return receiver
        }
        let anna = try await receive("Anna", ["--once"])
        let called = try await Tool.run(["send", path, "--to", "Anna"] + store("Ben") + neighbourhood.options)
        #expect(called.status == 0, "\(called.errors)")
        #expect(await anna.finish().status == 0)
        let ben = try await receive("Ben", [])
        let eve = try await Tool.run(
            ["send", path, "--to", "Ben", "--store", scratch / "Eve", "--name", "Anna"] + neighbourhood.options)
        #expect(eve.status == 77, "\(eve.errors)")
        let refused = try await ben.event("refused")
        #expect(refused["name"]?.string == "Anna")
        #expect(refused["reason"]?.string?.contains("another key is remembered") == true)
        let again = try await Tool.run(["send", path, "--to", "Ben"] + store("Anna") + neighbourhood.options)
        #expect(again.status == 0, "\(again.errors)")
        ben.send(SIGTERM)
        #expect(await ben.finish().status == 0)
    }

    @Test("chat: silent strangers do not keep a member from joining")
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

    @Test(
        "Two chats that invite each other become one, whichever is first, and neither asks about the peer that it named"
    )
    func mutualInvitations() async throws {
        func chat(_ name: String, with other: String) throws -> Tool {
            try Tool(
                [
                    "chat", other, "--visible", "--stay", "--json", "--listen", "127.0.0.1:0", "--listen-nearby",
                    "127.0.0.1:0",
                ]
                    + store(name) + neighbourhood.options)
        }
        let chats = [try chat("Anna", with: "Ben"), try chat("Ben", with: "Anna")]
        for tool in chats { _ = try await tool.event("memberConnected") }
        for tool in chats {
            tool.send(SIGINT)
            #expect(await tool.finish().status == 130)
        }
    }

    @Test("A chat that stays dials an address again while nobody listens there", arguments: ["join", "invite"])
    func callsAgain(way: String) async throws {
        let place = "unix:\(scratch / "\(way).socket")"
        let caller = try Tool(
            ["chat"] + (way == "join" ? [place] : ["--invite", place]) + [
                "--json", "--stay", "--listen", "127.0.0.1:0", "--trust-on-first-use",
            ] + store("Anna"))
        try await caller.warning(containing: "calling again")
        let called = try Tool(
            ["chat", "--json", "--stay", "--listen", place, "--accept", "all", "--trust-on-first-use"] + store("Ben"))
        for tool in [caller, called] { _ = try await tool.event("memberConnected") }
        for tool in [caller, called] {
            tool.send(SIGINT)
            #expect(await tool.finish().status == 130)
        }
        let other = try await Tool.run(
            ["chat", "unix:\(scratch / "nobody.socket")", "--trust-on-first-use", "--listen", "127.0.0.1:0"]
                + store("Eve"))
        #expect(other.status == 69)
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
