import Foundation
import MultipeerTerminalTestSupport
import MultipeerTestSupport
import Testing

/// What a person is asked about the files that others offer, and what both persons read of the answer.
@Suite("Offers and their questions", .enabled(if: Terminal.isAvailable), .endsIfItHangs)
struct OfferTests {
    private typealias Step = Terminal.Step

    private let neighbourhood: Neighbourhood
    private var options: [String] { neighbourhood.options }
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws {
        neighbourhood = try Neighbourhood()
        try scratch.write("in/.keep", [])
    }

    /// The receiver ends when Anna is gone.
    private static let last = Step(text: "Anna is gone", keys: Terminal.interrupt)

    private func store(_ name: String) -> [String] { neighbourhood.store(name) }

    private func receive(_ more: [String] = [], into folder: String? = nil, steps: [Step]) throws -> Tool {
        try Terminal.start(
            ["receive", "--dir", folder ?? scratch / "in", "--listen", "127.0.0.1:0", "-v"] + more + store("Ben")
                + options, steps: steps)
    }

    private func send(_ paths: [String], as name: String = "Anna") -> [String] {
        ["send"] + paths + ["--to", "Ben", "--json"] + store(name) + options
    }

    private func pictures(_ count: Int) throws -> [String] {
        try (1...count).map { try scratch.write("p\($0).jpg", TransferTests.bytes(10_000 + $0)) }
    }

    /// What people see at the end.
    private static func lines(_ finished: Tool.Finished) -> [String] {
        var terminal = FakeTerminal(columns: 120, rows: 40)
        terminal.take(finished.output)
        return terminal.lines
    }

    private var received: Set<String> {
        Set((try? scratch.names(in: "in")) ?? []).subtracting([".keep", ".multipeer-unfinished"])
    }

    // MARK: One question

    @Test("Files that a sender offers at once are one question, in its order, and one answer accepts all")
    func together() async throws {
        // Another question is on the terminal until all six have come, so that nothing depends on how fast they come.
        let receiver = try receive(steps: [
            Step(text: "Take single? [y/N]"), Step(text: "Anna offers p6.jpg", keys: "y\n"),
            Step(text: "Take all 6 files? [y/N]", keys: "y\n"), Self.last,
        ])
        let single = try Tool(send([try scratch.write("single", "x")], as: "Cleo"))
        try await eventually { receiver.shown.contains("Take single?") }
        let sent = try await Tool.run(send(try pictures(6)))
        #expect(sent.status == 0, "\(sent.output)\(receiver.shown)")
        #expect(await single.finish().status == 0)
        #expect(sent.events.all("fileSent").count == 6 && sent.events.all("fileFailed").isEmpty)
        let lines = Self.lines(await receiver.finish())
        #expect(received == Set((1...6).map { "p\($0).jpg" } + ["single"]))
        let question = try #require(lines.firstIndex { $0.hasPrefix("Anna (new) wants to send 6 files, ") }, "\(lines)")
        #expect(lines[(question + 2)...].prefix(6).map { $0.prefix(9) } == (1...6).map { "  p\($0).jpg," })
        #expect(lines.count { $0.contains("[y/N]") } == 2, "\(lines)")
    }

    @Test("One no declines all, and both people read that a person declined")
    func declined() async throws {
        let receiver = try receive(steps: [
            Step(text: "Take single? [y/N]"), Step(text: "Anna offers p3.jpg", keys: "n\n"),
            Step(text: "Take all 3 files? [y/N]", keys: "n\n"), Self.last,
        ])
        let single = try Tool(send([try scratch.write("single", "x")], as: "Cleo"))
        try await eventually { receiver.shown.contains("Take single?") }
        let sent = try await Tool.run(send(try pictures(3)))
        #expect([sent.status, await single.finish().status] == [77, 77])
        let failures = sent.events.all("fileFailed")
        #expect(failures.count == 3 && failures.allSatisfy { $0["reason"]?.string?.contains("declined") == true })
        let lines = Self.lines(await receiver.finish())
        #expect(
            lines.count { (line: String) in line.contains("Anna offers 3 files, 29 KiB: declined") } == 1, "\(lines)")
        #expect(received.isEmpty)
    }

    @Test("Files offered while a person reads a question are not accepted by its answer; they are another question")
    func later() async throws {
        let receiver = try receive(steps: [
            Step(text: "Take p1.jpg? [y/N]"), Step(text: "Anna offers p3.jpg", keys: "y\n"),
            Step(text: "Take all 2 files? [y/N]", keys: "n\n"), Self.last,
        ])
        let paths = try pictures(3)
        try await eventually { receiver.shown.contains("advertised as Ben") }
        let chat = try Tool(
            ["chat", "Ben", "--listen", "127.0.0.1:0", "--json"] + store("Anna") + options, hasInput: true)
        _ = try await chat.event("memberConnected")
        chat.type("/send Ben \(paths[0])")
        try await eventually { receiver.shown.contains("Take p1.jpg?") }
        chat.type("/send Ben \(paths[1])")
        try await eventually { receiver.shown.contains("Anna offers p2.jpg") }
        chat.type("/send Ben \(paths[2])")
        try await eventually { chat.events.all("fileFailed").count == 2 && chat.events.all("fileSent").count == 1 }
        #expect(received == ["p1.jpg"])
        chat.endInput()
        _ = await chat.finish()
        _ = await receiver.finish()
    }

    @Test("A withdrawn offer leaves its question, and the answer is about the others")
    func takenBack() async throws {
        let receiver = try receive(steps: [
            Step(text: "Take all 2 files? [y/N]"), Self.last,
        ])
        try await eventually { receiver.shown.contains("advertised as Ben") }
        let sender = try Tool(send(try pictures(2)))
        try await eventually { receiver.shown.contains("Take all 2 files?") }
        sender.send(SIGINT)
        #expect(await sender.finish().status == 130)
        #expect(await receiver.finish().status == 0)
        #expect(received.isEmpty)
    }

    // MARK: No answer

    @Test("A question about a file that nobody answers times out, and both people read that")
    func unanswered() async throws {
        let receiver = try receive(
            ["--answer-within", "0.2"], steps: [Step(text: "nobody answered in time"), Self.last])
        try await eventually { receiver.shown.contains("advertised as Ben") }
        let sent = try await Tool.run(send(try pictures(1)))
        #expect(sent.status == 75, "\(sent.output)")
        #expect(
            sent.events.first("fileFailed")?["reason"]?.string?.contains("nobody answered") == true, "\(sent.output)")
        let shown = await receiver.finish().output
        #expect(shown.contains("p1.jpg, 10001 B: nobody answered in time") && !shown.contains("declined"), "\(shown)")
    }

    // MARK: Room

    @Test("Offers that fit one by one but not together are not all asked about", .enabled(if: OddDisk.isAvailable))
    func room() async throws {
        let disk = try OddDisk("--size", "4194304")
        let receiver = try receive(
            into: disk.path, steps: [Step(text: "Take all 2 files? [y/N]", keys: "y\n"), Self.last])
        try await eventually { receiver.shown.contains("advertised as Ben") }
        let paths = try ["a", "b", "c"].map { try scratch.write("\($0).bin", TransferTests.bytes(1_500_000)) }
        let sent = try await Tool.run(send(paths))
        #expect(sent.status == 69, "\(sent.output)")
        let failure = try #require(sent.events.first("fileFailed"), "\(receiver.shown)")
        #expect(failure["file"]?.string == paths[2] && failure["reason"]?.string?.contains("no room") == true)
        #expect(sent.events.all("fileSent").count == 2)
        _ = await receiver.finish()
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path).sorted() == ["a.bin", "b.bin"])
    }
}
