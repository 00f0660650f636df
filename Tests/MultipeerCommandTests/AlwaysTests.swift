import Glibc
import MultipeerTerminalTestSupport
import MultipeerTestSupport
import Testing

/// *Always* at the question of `receive`, and how it is listed and taken back.
@Suite("Peers whose files are always accepted", .enabled(if: Terminal.isAvailable), .endsIfItHangs)
struct AlwaysTests {
    private let neighbourhood: Neighbourhood
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws {
        neighbourhood = try Neighbourhood()
        try scratch.write("in/.keep", [])
    }

    /// A receiver at a terminal whose person types this at each question, and which serves one sender.
    private func receiver(_ keys: String...) throws -> Tool {
        try Terminal.start(
            ["receive", "--once", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + neighbourhood.store("Ben")
                + neighbourhood.options,
            steps: keys.map { Terminal.Step(text: "Take ", keys: $0) })
    }

    private func send(_ name: String) async throws -> Tool.Finished {
        try await Tool.run(
            ["send", try scratch.write(name, [1]), "--to", "Ben"] + neighbourhood.store("Anna") + neighbourhood.options)
    }

    private func peers(_ arguments: String...) async throws -> Tool.Finished {
        try await Tool.run(["peers"] + arguments + ["--json", "--store", scratch / "Ben"])
    }

    private func listed() async throws -> [JSONValue?] {
        try await peers("list").events.all("knownPeer").map { $0["always"] }
    }

    @Test("A new peer cannot get always as an answer; for a known one it is stored, listed, obeyed and revoked")
    func always() async throws {
        let declining = try Terminal.start(
            ["receive", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + neighbourhood.store("Ben")
                + neighbourhood.options,
            steps: [
                .init(text: "Take none? [y/N] ", keys: "always\n"),
                .init(text: "left the session", keys: Terminal.interrupt),
            ])
        #expect(try await send("none").status == 77)
        #expect(await declining.finish().status == 0)

        let first = try receiver("y\n")
        #expect(try await send("first").status == 0)
        _ = await first.finish()
        #expect(try await listed() == [.boolean(false)])

        let second = try receiver("always\n")
        #expect(try await send("second").status == 0)
        let told = await second.finish()
        #expect(told.output.contains("Take second? [y/N/always]"), "\(told.output)")
        #expect(told.output.contains("multipeer peers ask "))
        #expect(try await listed() == [.boolean(true)])

        // Nobody types anything.
        let third = try receiver()
        #expect(try await send("third").status == 0)
        #expect(!(await third.finish()).output.contains("Take "))

        #expect(try await peers("ask", "anna").events.first("asked")?["always"] == .boolean(false))
        #expect(try await listed() == [.boolean(false)])
        let fourth = try receiver("y\n")
        #expect(try await send("fourth").status == 0)
        #expect(await fourth.finish().output.contains("Take fourth?"))
        for name in ["first", "second", "third", "fourth"] { #expect(try scratch.names(in: "in").contains(name)) }
    }

    @Test("A command sets it too, and the receiver is asked again about a forgotten peer")
    func commands() async throws {
        let receiver = try receiver("y\n")
        #expect(try await send("first").status == 0)
        _ = await receiver.finish()
        #expect(try await peers("always", "Anna").events.first("always")?["name"]?.string == "Anna")
        #expect(try await listed() == [.boolean(true)])
        let people = try await Tool.run(["peers", "list", "--store", scratch / "Ben"])
        #expect(people.output.contains("files       always taken"))
        #expect(try await peers("forget", "Anna").status == 0)
        let again = try self.receiver("y\n")
        #expect(try await send("second").status == 0)
        _ = await again.finish()
        #expect(try await listed() == [.boolean(false)])
        #expect(try await peers("always", "Nobody").status == 66)
        try scratch.write("Ben/always", "nonsense\n")
        #expect(try await peers("list").status == 66)
    }
}
