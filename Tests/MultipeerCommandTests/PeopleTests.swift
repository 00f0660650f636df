import Glibc
import MultipeerTerminalTestSupport
import MultipeerTestSupport
import Testing

/// What goes wrong between two people on the loopback interface: nothing is lost, both hear why, and terminals are left
/// as they were. What attackers say by multicast DNS is in Scripts/prove-discovery.
@Suite("People who decline, cancel and have no room", .enabled(if: Terminal.isAvailable), .endsIfItHangs)
struct PeopleTests {
    private typealias Step = Terminal.Step

    private let neighbourhood: Neighbourhood
    private var options: [String] { neighbourhood.options }
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws {
        neighbourhood = try Neighbourhood()
        try scratch.write("in/.keep", [])
    }

    private func store(_ name: String) -> [String] { neighbourhood.store(name) }

    private func receive(_ folder: String, _ more: [String] = []) -> [String] {
        ["receive", "--dir", folder, "--listen", "127.0.0.1:0"] + more + store("Ben") + options
    }

    private func send(_ path: String) -> [String] {
        ["send", path, "--to", "Ben", "--json"] + store("Anna") + options
    }

    private func file(_ name: String, _ length: Int) throws -> String {
        try scratch.write(name, TransferTests.bytes(length))
    }

    /// What people see at the end, on a terminal on which nothing is out of order.
    private static func lines(_ finished: Tool.Finished) -> [String] {
        var terminal = FakeTerminal(columns: 80, rows: 24)
        terminal.take(finished.output)
        #expect(terminal.faults.isEmpty && finished.errors.contains("same mode"), "\(finished.errors)")
        return terminal.lines
    }

    /// The receiver's folder is as it was before.
    private func expectNothing(in folder: String = "in") throws {
        #expect(try scratch.names(in: folder).filter { $0 != ".multipeer-unfinished" } == [".keep"])
    }

    @Test("A person declines by no, by Enter, or by any other text", arguments: ["n\n", "\n", "perhaps\n"])
    func decline(keys: String) async throws {
        let receiver = try Terminal.start(
            receive(scratch / "in"),
            steps: [
                Step(text: "Take picture? [y/N]", keys: keys), Step(text: "left the session", keys: Terminal.interrupt),
            ])
        let sent = try await Tool.run(send(try file("picture", 100_000)))
        #expect(sent.status == 77)
        #expect(
            sent.events.first("fileFailed")?["remedy"]?.string?.contains("remote person") == true, "\(sent.output)")
        let finished = await receiver.finish()
        #expect(finished.status == 0)
        let lines = Self.lines(finished)
        #expect(!lines.contains { $0.contains("received:") }, "\(lines)")
        try expectNothing()
        // A peer that was declined is not remembered.
        let known = try await Tool.run(["peers", "list", "--json"] + ["--store", scratch / "Ben"])
        #expect(known.events.all("knownPeer").isEmpty)
    }

    /// A question waits for a minute, so without the signal the test would run out of time.
    @Test(
        "Ctrl-C at the question stops the receiver at once, the sender is notified, and nothing is stored",
        .endsIfItHangs)
    func cancelledQuestion() async throws {
        let receiver = try Terminal.start(
            receive(scratch / "in"), steps: [Step(text: "Take picture? [y/N]", keys: Terminal.interrupt)])
        let sent = try await Tool.run(send(try file("picture", 100_000)))
        let finished = await receiver.finish()
        #expect(finished.status == 0, "a serving command succeeds at a signal")
        _ = Self.lines(finished)
        // Nobody has declined it.
        #expect(sent.status == 69, "\(sent.output)")
        #expect(sent.events.first("fileFailed") != nil || sent.events.first("failed") != nil)
        try expectNothing()
    }

    @Test("Ctrl-C cancels a list and a wait", arguments: ["\u{3}", "\u{4}"])
    func cancelledList(keys: String) async throws {
        let path = try file("picture", 10)
        let list = try Terminal.start(
            ["send", path] + store("Anna") + options, steps: [Step(text: "Send to whom?", keys: keys)])
        let listed = await list.finish()
        #expect(listed.status == 130, "\(listed.output)")
        _ = Self.lines(listed)
        guard keys == Terminal.interrupt else { return }
        for command in ["pair", "verify"] {
            let waiting = try Terminal.start(
                [command] + store("Anna") + options, steps: [Step(text: "advertised as Anna", keys: keys)])
            let waited = await waiting.finish()
            #expect(waited.status == 130, "\(command): \(waited.output)")
            #expect(waited.errors.contains("same mode"))
        }
    }

    @Test("A sender that leaves withdraws its question, and the next one is asked")
    func withdrawn() async throws {
        let receiver = try Terminal.start(
            receive(scratch / "in", ["--once"]),
            steps: [Step(text: "Take first? [y/N]"), Step(text: "Take second? [y/N]", keys: "y\n")])
        let first = try Tool(send(try file("first", 100_000)))
        try await eventually { receiver.shown.contains("Take first?") }
        first.send(SIGINT)
        #expect(await first.finish().status == 130)
        let second = try await Tool.run(send(try file("second", 100_000)))
        let finished = await receiver.finish()
        #expect([second.status, finished.status] == [0, 0], "\(finished.output)")
        _ = Self.lines(finished)
        #expect(try scratch.names(in: "in").contains("second"))
    }

    @Test(
        "On a full disk both people are notified, stored files stay, and files that fit are accepted",
        .enabled(if: TinyDisk.isAvailable))
    func fullDisk() async throws {
        let disk = try TinyDisk()
        let receiver = try Tool(receive(disk.path, ["--accept", "all", "--json"]))
        _ = try await receiver.event("advertised")
        let small = try file("small", 10_000)
        #expect(try await Tool.run(send(small)).status == 0)
        let sent = try await Tool.run(send(try file("large", 3_000_000)))
        #expect(sent.status == 69)
        #expect(sent.events.first("fileFailed")?["reason"]?.string?.contains("has no room") == true, "\(sent.output)")
        let failed = try await receiver.event("fileFailed")
        #expect(failed["reason"]?.string?.contains("no space") == true)
        #expect(failed["remedy"]?.string?.isEmpty == false)
        #expect(try Scratch.read(disk.path + "/small") == Scratch.read(small))
        #expect(access(disk.path + "/large", F_OK) != 0)
        receiver.send(SIGTERM)
        #expect(await receiver.finish().status == 0)
    }

    @Test("A folder without permissions is reported at the start; one that loses them later stops the file")
    func noRights() async throws {
        // Nobody, not even root, makes files here.
        let refused = try await Tool.run(receive("/sys", ["--json"]))
        #expect(refused.status == 73)
        #expect(refused.events.names == ["failed"])
        #expect(refused.events.first("failed")?["remedy"]?.string?.isEmpty == false)
        guard TinyDisk.isAvailable else { return }
        let disk = try TinyDisk()
        let receiver = try Tool(receive(disk.path, ["--accept", "all", "--json"]))
        _ = try await receiver.event("advertised")
        try disk.protect()
        let sent = try await Tool.run(send(try file("picture", 10_000)))
        #expect(sent.status == 77)
        #expect(sent.events.first("fileFailed")?["reason"]?.string?.isEmpty == false)
        let failed = try await receiver.event("fileFailed")
        #expect(failed["reason"]?.string?.contains("read-only") == true, "\(failed)")
        receiver.send(SIGTERM)
        #expect(await receiver.finish().status == 0)
    }
}
