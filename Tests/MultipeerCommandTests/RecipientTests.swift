import Glibc
import MultipeerTestSupport
import Testing

/// The peers that `send --to` means, with real peers on the loopback interface.
@Suite("Recipients of send", .endsIfItHangs)
struct RecipientTests {
    private let neighbourhood: Neighbourhood
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws { neighbourhood = try Neighbourhood() }

    private func receiver(_ name: String, _ more: [String] = []) async throws -> (tool: Tool, port: String) {
        try scratch.write("in-\(name)/.keep", [])
        let tool = try Tool(
            [
                "receive", "--json", "--dir", scratch / "in-\(name)", "--listen", "127.0.0.1:0", "--accept", "all",
            ] + more + neighbourhood.store(name) + neighbourhood.options)
        guard case .number(let port) = try await tool.event("advertised")["port"] else {
            throw Tool.Failure(description: "no port")
        }
        return (tool, "\(Int(port))")
    }

    private func send(_ path: String, to recipients: [String]) async throws -> Tool.Finished {
        try await Tool.run(
            ["send", path, "--json", "--within", "5"] + recipients.flatMap { ["--to", $0] }
                + neighbourhood.store("Anna")
                + neighbourhood.options)
    }

    private func end(_ tools: Tool...) async {
        for tool in tools {
            tool.send(SIGTERM)
            _ = await tool.finish()
        }
    }

    @Test("An address is an address, though no nearby peer has that name")
    func address() async throws {
        let path = try scratch.write("letter", TransferTests.bytes(1_000))
        // Nobody finds it by another service.
        let ben = try await receiver("Ben", ["--service", "elsewhere"])
        let sent = try await send(path, to: ["127.0.0.1:\(ben.port)"])
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(try Scratch.read(scratch / "in-Ben/letter") == Scratch.read(path))
        let nobody = try await send(path, to: ["127.0.0.1:1"])
        #expect(nobody.status == 69)
        #expect(nobody.events.first("failed")?["reason"]?.string == "127.0.0.1:1: nobody listens there")
        let noPort = try await send(path, to: ["127.0.0.1"])
        #expect(noPort.status == 64 && noPort.errors.contains("no port"), "\(noPort.errors)")
        await end(ben.tool)
    }

    @Test("With --discovery none an address is enough, and the receiver says where it listens")
    func withoutDiscovery() async throws {
        let path = try scratch.write("letter", TransferTests.bytes(1_000))
        try scratch.write("in/.keep", [])
        let none = ["--json", "--discovery", "none"]
        let ben = try Tool(
            ["receive", "--once", "--accept", "all", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + none
                + neighbourhood.store("Ben"))
        let sent = try await Tool.run(
            ["send", path, "--to", try await ben.address()] + none + neighbourhood.store("Anna"))
        #expect(sent.status == 0, "\(sent.errors)")
        let received = await ben.finish()
        #expect(received.status == 0 && received.events.first("advertised") == nil, "\(received.output)")
        #expect(try Scratch.read(scratch / "in/letter") == Scratch.read(path))
    }

    @Test("Each of several recipients gets everything, and a missing one does not affect the others")
    func several() async throws {
        let path = try scratch.write("letter", TransferTests.bytes(300_000))
        let (ben, cleo) = (try await receiver("Ben"), try await receiver("Cleo"))
        let all = try await send(path, to: ["ben", "Cleo", "Ben"])
        #expect(all.status == 0, "\(all.errors)")
        let told = all.events.all("recipient")
        #expect(Set(told.compactMap { $0["to"]?.string }) == ["ben", "Cleo"])
        #expect(told.allSatisfy { $0["complete"] == .boolean(true) })
        for name in ["Ben", "Cleo"] {
            #expect(try Scratch.read(scratch / "in-\(name)/letter") == Scratch.read(path))
            #expect(try scratch.names(in: "in-\(name)").filter { $0.hasPrefix("letter") } == ["letter"])
        }
        let other = try scratch.write("other", TransferTests.bytes(1_000))
        let some = try await send(other, to: ["Nobody", "Cleo"])
        #expect(some.status == 69)
        let missing = try #require(some.events.all("recipient").first { $0["complete"] == .boolean(false) })
        #expect(missing["to"]?.string == "Nobody" && missing["exitStatus"] == .number(69))
        #expect(some.events.first("failed")?["reason"]?.string == "1 of 2 have got all; not Nobody")
        #expect(try Scratch.read(scratch / "in-Cleo/other") == Scratch.read(other))
        await end(ben.tool, cleo.tool)
    }
}
