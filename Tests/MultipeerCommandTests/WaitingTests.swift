import Foundation
import Glibc
import MultipeerStorage
import MultipeerTerminalTestSupport
import MultipeerTestSupport
import Testing

/// What `send` says while it waits, and how people end it.
@Suite("Waiting and stopping, as people see it", .enabled(if: Terminal.isAvailable), .endsIfItHangs)
struct WaitingTests {
    private typealias Step = Terminal.Step

    private let neighbourhood: Neighbourhood
    private var options: [String] { neighbourhood.options }
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws {
        neighbourhood = try Neighbourhood()
        try scratch.write("in/.keep", [])
    }

    private func store(_ name: String) -> [String] { neighbourhood.store(name) }

    private func receiver(_ folder: String? = nil) async throws -> Tool {
        let tool = try Tool(
            ["receive", "--json", "--accept", "all", "--dir", folder ?? scratch / "in", "--listen", "127.0.0.1:0"]
                + store("Ben") + options)
        _ = try await tool.event("advertised")
        return tool
    }

    private func send(_ path: String, _ more: [String] = [], to name: String = "Ben") -> [String] {
        ["send", path, "--to", name] + more + store("Anna") + options
    }

    private func big(_ size: Int = 60_000_000) throws -> String {
        try scratch.write("big", [UInt8](repeating: 7, count: size))
    }

    /// How much of unfinished files is on the disk.
    private var heldBytes: Int {
        let holder = scratch / "in/\(HeldFiles.folderName)"
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: holder)) ?? []
        return names.filter { $0.hasSuffix(".held") }.reduce(0) { sum, name in
            sum + ((try? FileManager.default.attributesOfItem(atPath: holder + "/" + name)[.size] as? Int) ?? 0)
        }
    }

    private static func lines(_ finished: Tool.Finished) -> [String] {
        var terminal = FakeTerminal(columns: 80, rows: 24)
        terminal.take(finished.output)
        return terminal.lines
    }

    // MARK: Waiting

    @Test("A person sees which peer the command looks for, and the line disappears")
    func looking() async throws {
        let path = try scratch.write("a", "a")
        let sender = try Terminal.start(
            send(path, to: "Nobody"), steps: [Step(text: "looking for Nobody…", keys: Terminal.interrupt)])
        let finished = await sender.finish()
        #expect(finished.status == 130 && finished.errors.contains("same mode"))
        #expect(!Self.lines(finished).contains { $0.contains("looking") }, "\(finished.output)")
    }

    @Test("A dumb terminal prints the wait on a line of its own")
    func plain() async throws {
        let sender = try Terminal.start(
            send(try scratch.write("a", "a"), to: "Nobody"),
            steps: [Step(text: "looking for Nobody…", keys: Terminal.interrupt)], kind: .init(name: "dumb"))
        let finished = await sender.finish()
        #expect(finished.status == 130 && !finished.output.contains("\u{1B}"))
    }

    @Test("A person sees that the remote person has not answered yet")
    func answer() async throws {
        let receiver = try Terminal.start(
            ["receive", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + store("Ben") + options,
            steps: [Step(text: "Anna is gone", keys: Terminal.interrupt)])
        try await eventually { receiver.shown.contains("advertised as Ben") }
        let sender = try Terminal.start(
            send(try scratch.write("a", "a")),
            steps: [Step(text: "waiting for Ben to answer…", keys: Terminal.interrupt)])
        let finished = await sender.finish()
        #expect(finished.status == 130, "\(finished.output)")
        #expect(!Self.lines(finished).contains { $0.contains("waiting") })
        _ = await receiver.finish()
    }

    @Test("Programs have events for the wait; neither a pipe nor --quiet has lines")
    func elsewhere() async throws {
        let receiver = try await receiver()
        let path = try scratch.write("a", "a")
        let program = try await Tool.run(send(path, ["--json"]))
        #expect(program.status == 0, "\(program.errors)")
        #expect(
            program.events.all("waiting").map { $0["for"]?.string } == ["peer", "connection", "answer"],
            "\(program.output)")
        let piped = try await Tool.run(send(path))
        #expect(piped.status == 0 && piped.errors.isEmpty, "\(piped.errors)")
        let quiet = try Terminal.start(send(path, ["--quiet"]))
        let finished = await quiet.finish()
        #expect(finished.status == 0 && Self.lines(finished).isEmpty, "\(finished.output)")
        receiver.send(SIGTERM)
        _ = await receiver.finish()
    }

    @Test("The bar of a stalled file says so, and shows no rate")
    func stalled() async throws {
        let receiver = try await receiver()
        let sender = try Terminal.start(send(try big()))
        try await eventually { heldBytes > 2_000_000 }
        try await receiver.stop()
        try await eventually { sender.shown.contains(", stalled for ") }
        receiver.send(SIGCONT)
        let finished = await sender.finish()
        #expect(finished.status == 0, "\(finished.output)")
        #expect(!Self.lines(finished).contains { $0.contains("stalled") })
        receiver.send(SIGTERM)
        _ = await receiver.finish()
    }

    // MARK: Stopping

    @Test("Ctrl-C says what it keeps and what a second one does; after one the peer keeps the received bytes")
    func once() async throws {
        let receiver = try await receiver()
        // The file goes on while a second Ctrl-C may come, and must not come to its end meanwhile.
        let sender = try Terminal.start(
            send(try big(500_000_000)), steps: [Step(text: " 2 %", keys: Terminal.interrupt)])
        let finished = await sender.finish()
        #expect(finished.status == 130, "\(finished.output)")
        #expect(finished.output.contains("Ctrl-C again"))
        _ = try await receiver.event("fileFailed")
        #expect(heldBytes > 0)
        receiver.send(SIGTERM)
        _ = await receiver.finish()
    }

    @Test("A second Ctrl-C gives the file up for good, and the peer drops the received bytes")
    func twice() async throws {
        let receiver = try await receiver()
        let sender = try Terminal.start(
            send(try big()),
            steps: [
                Step(text: " 2 %", keys: Terminal.interrupt), Step(text: "Ctrl-C again", keys: Terminal.interrupt),
            ])
        let finished = await sender.finish()
        #expect(finished.status == 130, "\(finished.output)")
        let failed = try await receiver.event("fileFailed")
        #expect(failed["reason"]?.string?.contains("cancelled") == true, "\(failed)")
        try await eventually { heldBytes == 0 }
        receiver.send(SIGTERM)
        _ = await receiver.finish()
    }

    // MARK: Stalls

    @Test("A peer that accepts nothing for --stall-timeout stops the command with 75")
    func stallTimeout() async throws {
        let receiver = try await receiver()
        let sender = try Tool(send(try big(), ["--json", "--stall-timeout", "2", "--retry", "0"]))
        // On a busy machine the file may have stalled before.
        try await eventually { heldBytes > 2_000_000 || !sender.events.all("fileFailed").isEmpty }
        try await receiver.stop()
        let finished = await sender.finish()
        #expect(finished.status == 75, "\(finished.output)")
        receiver.send(SIGCONT)
        receiver.send(SIGTERM)
        _ = await receiver.finish()
    }

    @Test("A slow disk is waited for; the sender has its own limit", .enabled(if: OddDisk.isAvailable))
    func slowDisk() async throws {
        let disk = try OddDisk("--hold-sync")
        let receiver = try await receiver(disk.path)
        let path = try scratch.write("small", TransferTests.bytes(100_000))
        let hasty = try await Tool.run(send(path, ["--json", "--stall-timeout", "0.1", "--retry", "0"]))
        #expect(hasty.status == 75, "\(hasty.output)")
        #expect(hasty.events.first("fileFailed")?["reason"]?.string?.contains("no progress") == true, "\(hasty.output)")
        disk.release()
        let patient = try await Tool.run(send(path, ["--json"]))
        #expect(patient.status == 0, "\(patient.output)")
        receiver.send(SIGTERM)
        _ = await receiver.finish()
    }
}
