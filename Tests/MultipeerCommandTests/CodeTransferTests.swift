import Glibc
import MultipeerTestSupport
import Testing

/// `send --show-code` and `receive CODE`: the peer that sends shows the code, and the other one types it.
@Suite("Files by the sender's code", .endsIfItHangs)
struct CodeTransferTests {
    private let neighbourhood: Neighbourhood
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws {
        neighbourhood = try Neighbourhood()
        try scratch.write("in/.keep", [])
    }

    private func sender(_ paths: String...) throws -> Tool {
        try Tool(
            ["send"] + paths + ["--show-code", "--listen", "127.0.0.1:0", "--json"] + neighbourhood.store("Anna")
                + neighbourhood.options)
    }

    private func receive(_ code: String, as name: String = "Ben") async throws -> Tool.Finished {
        try await Tool.run(
            ["receive", code, "--json", "--dir", scratch / "in", "--within", "10"] + neighbourhood.store(name)
                + neighbourhood.options)
    }

    @Test(
        "All files are accepted without a question, by code or by link, and both keys are verified",
        arguments: ["code", "link"])
    func all(argument: String) async throws {
        let (one, two) = (
            try scratch.write("one", TransferTests.bytes(200_000)),
            try scratch.write("trip/two", TransferTests.bytes(10))
        )
        let sender = try sender(one, scratch / "trip")
        let shown = try #require(try await sender.event("code")[argument]?.string)
        let received = try await receive(shown)
        let sent = await sender.finish()
        #expect([sent.status, received.status] == [0, 0], "\(sent.errors)\(received.errors)")
        #expect(try Scratch.read(scratch / "in/one") == Scratch.read(one))
        #expect(try Scratch.read(scratch / "in/trip/two") == Scratch.read(two))
        for name in ["Anna", "Ben"] {
            let known = try await Tool.run(["peers", "list", "--json", "--store", scratch / name])
            #expect(known.events.all("knownPeer").map { $0["verification"]?.string } == ["code"])
        }
    }

    @Test("A wrong code stops both commands, and nothing is sent")
    func wrongCode() async throws {
        let sender = try sender(try scratch.write("one", [1]))
        let shown = try #require(try await sender.event("code")["code"]?.string)
        let words = shown.hasSuffix("-tulip-orbit") ? "-orbit-tulip" : "-tulip-orbit"
        let received = try await receive(String(shown.prefix { $0 != "-" }) + words)
        let sent = await sender.finish()
        #expect([sent.status, received.status] == [77, 77], "\(sent.errors)\(received.errors)")
        #expect(try scratch.names(in: "in") == [".keep"])
    }

    @Test("A typist that sends files of its own is declined, and a signal stops the wait")
    func otherSender() async throws {
        let path = try scratch.write("one", [1])
        let sender = try sender(path)
        let shown = try #require(try await sender.event("code")["code"]?.string)
        let other = try await Tool.run(
            ["send", path, "--code", shown] + neighbourhood.store("Ben") + neighbourhood.options)
        #expect(other.status == 77, "\(other.errors)")
        sender.send(SIGTERM)
        #expect(await sender.finish().status == 143)
    }

    @Test(
        "Arguments that make no sense are refused",
        arguments: [
            ["send", "x", "--show-code", "--to", "Ben"], ["send", "x", "--show-code", "--code", "4-tulip-orbit"],
            ["send", "x", "--qr", "--to", "Ben"], ["send", "x", "--listen", "127.0.0.1:0", "--to", "Ben"],
            ["receive", "4-tulip-orbit", "--code"], ["receive", "4-tulip"],
        ])
    func misuse(arguments: [String]) async throws {
        let run = try await Tool.run(arguments + neighbourhood.options)
        #expect(run.status == 64, "\(run.errors)")
    }
}
