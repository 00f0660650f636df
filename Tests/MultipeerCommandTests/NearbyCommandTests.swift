import Glibc
import Multipeer
import MultipeerTerminalTestSupport
import MultipeerTestSupport
import Testing

/// `nearby`, `receive` and `send` on the loopback interface. Each test has a service of its own, so that tests do not meet.
@Suite("Nearby, as people use it", .enabled(if: Terminal.isAvailable), .endsIfItHangs)
struct NearbyCommandTests {
    private typealias Step = Terminal.Step

    private let neighbourhood: Neighbourhood
    private var options: [String] { neighbourhood.options }
    private var scratch: Scratch { neighbourhood.scratch }
    private let cache: Scratch

    init() throws {
        neighbourhood = try Neighbourhood()
        cache = try Scratch()
    }

    private func store(_ name: String) -> [String] { neighbourhood.store(name) }

    private func receiver(_ arguments: [String] = ["--accept", "all"]) async throws -> Tool {
        let receiver = try Tool(
            ["receive", "--json", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + arguments + store("Ben")
                + options)
        _ = try await receiver.event("advertised")
        return receiver
    }

    private var caching: [String: String] { ["XDG_CACHE_HOME": cache.path] }
    /// What is left of standard input.
    private var spooled: [String] {
        (try? cache.names(in: "multipeer"))?.filter { $0.hasPrefix("spool-") } ?? []
    }

    private func makeInbox() throws { try scratch.write("in/.keep", []) }

    @Test("Standard input is sent as a file, and no copy of it is left")
    func standardInput() async throws {
        try makeInbox()
        let receiver = try await receiver()
        let content = TransferTests.bytes(3_000_000)
        let sent = try await Tool.run(
            ["send", "-", "--to", "Ben", "--file-name", "a backup.tar"] + store("Anna") + options, input: content,
            environment: caching)
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(sent.output.contains("file sent to Ben: a backup.tar\n"))
        #expect(try Scratch.read(scratch / "in/a backup.tar") == content)
        let usual = try await Tool.run(
            ["send", "-", "--to", "Ben"] + store("Anna") + options, input: [], environment: caching)
        #expect(usual.status == 0, "\(usual.errors)")
        #expect(try Scratch.read(scratch / "in/stdin") == [])
        #expect(spooled.isEmpty)
        receiver.send(SIGTERM)
        #expect(await receiver.finish().status == 0)
    }

    @Test("Copied standard input is removed after a signal, and after SIGKILL by the next command")
    func interrupted() async throws {
        for (signal, status, left) in [(SIGTERM, 143, 0), (SIGINT, 130, 0), (SIGKILL, 137, 1)] as [(Int32, Int32, Int)]
        {
            let sender = try Tool(
                ["send", "-", "--to", "Nobody"] + store("Anna") + options, hasInput: true, environment: caching)
            sender.type("some text")
            try await eventually { (try? Scratch.read(cache / "multipeer/\(spooled.first ?? "-")/stdin").count) == 10 }
            sender.send(signal)
            #expect(await sender.finish().status == status)
            #expect(spooled.count == left)
        }
        let next = try await Tool.run(
            ["send", "-", "--to", "Nobody", "--within", "0.2"] + store("Anna") + options, input: [1],
            environment: caching)
        #expect(next.status == 69)
        #expect(spooled.isEmpty)
    }

    @Test("Input that another command still reads stays, also under the name of a lock")
    func twoInputs() async throws {
        let first = try Tool(
            ["send", "-", "--to", "Nobody", "--file-name", ".lock"] + store("Anna") + options, hasInput: true,
            environment: caching)
        first.type("some text")
        try await eventually { (try? Scratch.read(cache / "multipeer/\(spooled.first ?? "-")/.lock").count) == 10 }
        let second = try await Tool.run(
            ["send", "-", "--to", "Nobody", "--within", "0.2"] + store("Anna") + options, input: [1],
            environment: caching)
        #expect(second.status == 69, "\(second.errors)")
        #expect(spooled.count == 1)
        first.send(SIGTERM)
        #expect(await first.finish().status == 143)
        #expect(spooled.isEmpty)
    }

    @Test("A foreign link at the folder for input is not followed", .enabled(if: geteuid() == 0))
    func foreignLink() async throws {
        let mine = try scratch.write("mine/spool-abcdef/letter", [1, 2, 3])
        try #require(symlink(scratch / "mine", cache / "multipeer") == 0)
        try #require(lchown(cache / "multipeer", 12_345, 12_345) == 0)
        let arguments = ["send", "-", "--to", "Nobody", "--within", "0.2"] + store("Anna") + options
        let run = try await Tool.run(arguments, input: [1], environment: caching)
        #expect(run.status == 66 && run.errors.contains("another user (12345)"), "\(run.errors)")
        #expect(try Scratch.read(mine) == [1, 2, 3])
    }

    @Test(
        "Arguments that make no sense with standard input are refused",
        arguments: [
            ["-"], ["-", "-", "--to", "Ben"], ["x", "--to", "Ben", "--file-name", "y"],
            ["-", "--to", "Ben", "--file-name", "a/b"], ["-", "--to", "Ben", "--file-name", ".."],
            ["-", "--to", "Ben", "--file-name", ""],
        ])
    func misuse(arguments: [String]) async throws {
        let run = try await Tool.run(["send"] + arguments + options, environment: caching)
        #expect(run.status == 64)
    }

    @Test(
        "A person chooses with the arrow keys, by a number, or by the beginning of the name",
        arguments: ["\u{1B}[B\n", "1\n", "be\n"])
    func picker(keys: String) async throws {
        try makeInbox()
        let path = try scratch.write("picture", TransferTests.bytes(100_000))
        let receiver = try await receiver(["--accept", "all", "--once"])
        let sender = try Terminal.start(
            ["send", path] + store("Anna") + options, steps: [Step(text: "127.0.0.1", keys: keys)])
        let (sent, received) = (await sender.finish(), await receiver.finish())
        #expect([sent.status, received.status] == [0, 0], "\(sent.output)")
        #expect(sent.errors.contains("same mode"))
        var terminal = FakeTerminal(columns: 80, rows: 24)
        terminal.take(sent.output)
        #expect(terminal.faults.isEmpty)
        // The list, the question and the bar are gone.
        #expect(terminal.lines.first == "Ben is here (not verified)")
        #expect(terminal.lines.dropFirst() == ["file sent to Ben: \(path)"])
    }

    @Test("A person chooses among namesakes; without a terminal they are listed")
    func namesakes() async throws {
        try makeInbox()
        let path = try scratch.write("picture", TransferTests.bytes(100_000))
        let receivers = try await [receiver(["--accept", "all"]), other("Cleo", "Ben"), other("Dora", "Dora")]
        let listed = try await Tool.run(["send", path, "--to", "Ben", "--json"] + store("Anna") + options)
        #expect(listed.status == 64)
        let failed = try #require(listed.events.first("failed"))
        #expect(failed["reason"]?.string?.hasPrefix("2 peers nearby are called Ben") == true)
        #expect(failed["remedy"]?.string?.contains("--to TAG") == true)
        let sender = try Terminal.start(
            ["send", path, "--to", "Ben"] + store("Anna") + options,
            steps: [Step(text: "2    Ben", keys: "1\n")], kind: .init(hasColours: false))
        let sent = await sender.finish()
        #expect(sent.status == 0 && !sent.output.contains("Dora"), "\(sent.output)")
        for receiver in receivers {
            receiver.send(SIGTERM)
            _ = await receiver.finish()
        }
    }

    /// Another receiver, with an identity and a folder of its own.
    private func other(_ identity: String, _ name: String) async throws -> Tool {
        try scratch.write("\(identity)-in/.keep", [])
        let tool = try Tool(
            [
                "receive", "--json", "--dir", scratch / "\(identity)-in", "--listen", "127.0.0.1:0", "--accept", "all",
                "--store", scratch / identity, "--name", name,
            ] + options)
        _ = try await tool.event("advertised")
        return tool
    }

    @Test("On a dumb terminal the list is lines, and the answer a number")
    func plainPicker() async throws {
        try makeInbox()
        let path = try scratch.write("picture", TransferTests.bytes(100_000))
        let receiver = try await receiver(["--accept", "all", "--once"])
        let sender = try Terminal.start(
            ["send", path] + store("Anna") + options,
            steps: [Step(text: "127.0.0.1", keys: "7\n"), Step(text: "type a number", keys: "1\n")],
            kind: .init(name: "dumb"))
        let (sent, received) = (await sender.finish(), await receiver.finish())
        #expect([sent.status, received.status] == [0, 0], "\(sent.output)")
        #expect(!sent.output.contains("\u{1B}"))
        #expect(sent.output.contains("1    Ben "))
    }

    @Test("The receiver's question stays below the output, and each file has one line")
    func question() async throws {
        try makeInbox()
        let path = try scratch.write("picture", TransferTests.bytes(100_000))
        let receiver = try Terminal.start(
            ["receive", "--once", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + store("Ben") + options,
            steps: [Step(text: "Take picture? [y/N]", keys: "y\n")])
        let sent = try await Tool.run(["send", path, "--to", "Ben"] + store("Anna") + options)
        let received = await receiver.finish()
        #expect([sent.status, received.status] == [0, 0], "\(sent.errors)\(received.output)")
        var terminal = FakeTerminal(columns: 80, rows: 24)
        terminal.take(received.output)
        let lines = terminal.lines
        #expect(terminal.faults.isEmpty && received.errors.contains("same mode"))
        #expect(lines.contains("Take picture? [y/N] y"))
        #expect(lines.count { $0.contains("file of Anna received:") } == 1)
        #expect(!lines.contains { $0.contains(" offers ") || $0.contains(" %") }, "\(lines)")
    }

    @Test("A question disappears when the sender withdraws the file, though it stays connected; the next one is asked")
    func withdrawnOffer() async throws {
        try makeInbox()
        let receiver = try Terminal.start(
            ["receive", "--once", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + store("Ben") + options,
            steps: [Step(text: "Take first? [y/N]"), Step(text: "Take second? [y/N]", keys: "y\n")])
        try await eventually { receiver.shown.contains(/port [0-9]+/) }
        let port = try #require(receiver.shown.firstMatch(of: /port ([0-9]+)/)?.1)
        let session = Multipeer.Session(of: try await Peer.temporary(named: "Anna"), trust: .everyone)
        let ben = try await session.invite(Endpoint(parsing: "127.0.0.1:\(port)"))
        let first = Task {
            [path = try scratch.write("first", [1])] in try await session.sendFile(path, to: ben.id)
        }
        try await eventually { receiver.shown.contains("Take first? [y/N]") }
        first.cancel()
        _ = await first.result
        try await session.sendFile(try scratch.write("second", [2]), to: ben.id)
        await session.leave()
        let received = await receiver.finish()
        #expect(received.status == 0, "\(received.output)")
        var terminal = FakeTerminal(columns: 80, rows: 24)
        terminal.take(received.output)
        #expect(terminal.lines.contains("Anna no longer offers first"))
        #expect(!terminal.lines.contains { $0.contains("Take first?") }, "\(terminal.lines)")
        #expect(try Scratch.read(scratch / "in/second") == [2])
    }

    @Test("At a terminal nearby is a table that changes in place, and stays after the command")
    func table() async throws {
        let looker = try Terminal.start(
            ["nearby"] + store("Anna") + options,
            steps: [
                Step(text: "nobody is nearby"), Step(text: "127.0.0.1"),
                Step(text: "nobody is nearby", keys: Terminal.interrupt),
            ],
            kind: .init(columns: 60))
        // One that is there before it looks is in its first table, and nobody is never said.
        try await eventually { looker.shown.contains("nobody is nearby") }
        try makeInbox()
        let receiver = try await receiver()
        try await eventually { looker.shown.contains("127.0.0.1") }
        receiver.send(SIGTERM)
        _ = await receiver.finish()
        let finished = await looker.finish()
        #expect(finished.status == 0)
        var terminal = FakeTerminal(columns: 60, rows: 24)
        terminal.take(finished.output)
        #expect(terminal.faults.isEmpty)
        #expect(terminal.lines == ["nobody is nearby, as far as is known by now"])
    }

    @Test("Without a terminal each change is a line, or an event")
    func lines() async throws {
        try makeInbox()
        let receiver = try await receiver()
        let people = try Tool(["nearby"] + store("Anna") + options)
        let line = try await people.line(containing: "Ben")
        #expect(line.hasPrefix("Ben ") && line.contains("  new  ") && line.contains("127.0.0.1:"))
        let programs = try Tool(["nearby", "--json"] + store("Anna") + options)
        #expect(try await programs.event("peerFound")["name"]?.string == "Ben")
        receiver.send(SIGTERM)
        _ = try await people.line(containing: "Ben is gone")
        #expect(try await programs.event("peerLost")["name"]?.string == "Ben")
        for tool in [people, programs] {
            tool.send(SIGINT)
            #expect(await tool.finish().status == 0)
        }
        _ = await receiver.finish()
    }
}
