import Glibc
import MultipeerTestSupport
import Testing

@Suite("Texts between send and receive", .endsIfItHangs)
struct TextMessageTests {
    private let neighbourhood: Neighbourhood
    private var options: [String] { neighbourhood.options }
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws {
        neighbourhood = try Neighbourhood()
        try scratch.write("in/.keep", [])
    }

    private func store(_ name: String) -> [String] { neighbourhood.store(name) }

    private func receiver(_ more: [String]) async throws -> Tool {
        let tool = try Tool(
            ["receive", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + more + store("Ben") + options)
        if more.contains("--json") {
            _ = try await tool.event("advertised")
        } else {
            _ = try await tool.line(containing: "advertised as Ben")
        }
        return tool
    }

    private func send(_ arguments: [String], input: [UInt8] = []) async throws -> Tool.Finished {
        try await Tool.run(
            ["send"] + arguments + ["--to", "Ben"] + store("Anna") + options, input: input,
            environment: ["XDG_CACHE_HOME": scratch / "cache"])
    }

    @Test("A text arrives unchanged, by itself, from standard input, and before files")
    func texts() async throws {
        let receiver = try await receiver(["--json", "--accept", "all"])
        let alone = try await send(["--text", "https://example.org/?a=b"])
        #expect(alone.status == 0 && alone.output.contains("text sent to Ben\n"), "\(alone.output)\(alone.errors)")
        let piped = try await send(["--text", "-"], input: Array("two\nlines\n".utf8))
        #expect(piped.status == 0, "\(piped.errors)")
        let both = try await send([try scratch.write("a", "a"), "--text", "with a file", "--json"])
        #expect(both.status == 0 && both.events.first("messageSent")?["size"]?.number == 11, "\(both.output)")
        receiver.send(SIGTERM)
        let events = await receiver.finish().events
        #expect(
            events.all("message").compactMap { $0["text"]?.string } == [
                "https://example.org/?a=b", "two\nlines", "with a file",
            ])
        #expect(events.all("fileReceived").count == 1)
    }

    @Test("No text moves a cursor or changes a colour of the receiver's terminal")
    func escapes() async throws {
        let receiver = try await receiver([])
        #expect(try await send(["--text", "red \u{1B}[31mand\u{7} gone"]).status == 0)
        let line = try await receiver.line(containing: "Anna: ")
        #expect(line.contains(#"red \u{1B}[31mand\u{7} gone"#), "\(line)")
        receiver.send(SIGTERM)
        _ = await receiver.finish()
    }

    @Test("Strangers cannot fill the terminal with texts: only some are shown, and the others are counted")
    func flood() async throws {
        let receiver = try await receiver([])
        let chat = try Tool(
            ["chat", "Ben", "--listen", "127.0.0.1:0", "--json"] + store("Anna") + options, hasInput: true)
        _ = try await chat.event("memberConnected")
        for number in 0..<300 { chat.type("text \(number)") }
        chat.endInput()
        #expect(await chat.finish().status == 0)
        _ = try await receiver.line(containing: "is gone")
        receiver.send(SIGTERM)
        let finished = await receiver.finish()
        #expect(finished.output.contains("Anna: text 0\n") && !finished.output.contains("Anna: text 299\n"))
        #expect(finished.errors.contains("texts of strangers are not shown"), "\(finished.errors)")
    }

    @Test("A text of an expected sender completes --once, and a stranger's does not")
    func once() async throws {
        let open = try await receiver(["--json", "--accept", "all", "--once"])
        #expect(try await send(["--text", "hello"]).status == 0)
        #expect(await open.finish().status == 0)
        let asking = try await receiver(["--json", "--once"])
        #expect(try await send(["--text", "hello again"]).status == 0)
        _ = try await asking.event("memberDisconnected")
        asking.send(SIGTERM)
        let finished = await asking.finish()
        #expect(finished.status == 143 && finished.events.first("message")?["text"]?.string == "hello again")
    }

    @Test(
        "Arguments that make no sense are refused",
        arguments: [
            [], ["--text", ""], ["--text", "-", "-"], ["--text", "x", "--file-name", "y"],
        ])
    func misuse(arguments: [String]) async throws {
        #expect(try await send(arguments).status == 64)
    }
}
