import Foundation
import Glibc
import MultipeerStorage
import MultipeerTerminalTestSupport
import MultipeerTestSupport
import Testing

/// What `send` and `receive` do with the files that people have: names, folders, lost connections, several senders.
@Suite("People's files between two programs", .endsIfItHangs)
struct PeopleFilesTests {
    private typealias Step = Terminal.Step

    private let neighbourhood: Neighbourhood
    private var options: [String] { neighbourhood.options }
    private var scratch: Scratch { neighbourhood.scratch }

    init() throws {
        neighbourhood = try Neighbourhood()
        try scratch.write("in/.keep", [])
    }

    private func store(_ name: String) -> [String] { neighbourhood.store(name) }

    private func receiver(_ more: [String] = ["--accept", "all"]) async throws -> Tool {
        let tool = try Tool(
            ["receive", "--json", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + more + store("Ben") + options)
        _ = try await tool.event("advertised")
        return tool
    }

    /// However long discovery takes on a busy machine: the test's limit bounds it.
    private func send(_ paths: [String], _ more: [String] = []) -> [String] {
        ["send"] + paths + ["--to", "Ben", "--json", "--within", "600"] + more + store("Anna") + options
    }

    private func end(_ receiver: Tool) async -> Tool.Finished {
        receiver.send(SIGTERM)
        return await receiver.finish()
    }

    // MARK: Names

    @Test("A folder keeps its names; changed names are reported to both people (SPEC §15.5)")
    func names() async throws {
        for name in [".env", "env", ".git/config", "Makefile", "makefile", "M:2,S", "bad\u{1}name"] {
            try scratch.write("trip/" + name, name)
        }
        let receiver = try await receiver()
        let sent = try await Tool.run(send([scratch / "trip"]))
        #expect(sent.status == 0, "\(sent.errors)")
        let received = await end(receiver)
        #expect(
            try scratch.names(in: "in/trip").sorted() == [
                ".env", ".git", "M:2,S", "Makefile", "badname", "env", "makefile",
            ])
        for name in [".env", "env", ".git/config"] { #expect(try scratch.read("in/trip/" + name) == Array(name.utf8)) }
        for (side, direction) in [(sent, "sent"), (received, "received")] {
            let event = try #require(side.events.first("namesDiffer"), "\(side.output)")
            #expect(event["count"]?.number == 1 && event["direction"]?.string == direction)
            #expect(event["names"]?[0]?["path"]?.string == "bad\u{1}name")
            #expect(event["names"]?[0]?["localPath"]?.string == "badname")
        }
    }

    @Test("A name that begins with a dot stays if a person has seen it, and hides nothing otherwise (R15.5-3)")
    func hiddenNames() async throws {
        let path = try scratch.write("out/.profile", "x")
        let receiver = try await receiver()
        let sent = try await Tool.run(send([path]))
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(sent.events.first("namesDiffer")?["names"]?[0]?["localPath"]?.string == "profile")
        let received = await end(receiver)
        #expect(received.events.first("fileOffered")?["localName"]?.string == "profile")
        #expect(try scratch.names(in: "in").filter { $0 != ".keep" } == ["profile"])
        guard Terminal.isAvailable else { return }
        let asked = try Terminal.start(
            ["receive", "--once", "--dir", scratch / "in", "--listen", "127.0.0.1:0"] + store("Ben") + options,
            steps: [Step(text: "Take .profile? [y/N/always]", keys: "y\n")])
        let again = try await Tool.run(send([path]))
        let finished = await asked.finish()
        #expect([again.status, finished.status] == [0, 0], "\(again.output)\(finished.output)")
        #expect(finished.output.contains("begins with a dot") && again.events.first("namesDiffer") == nil)
        #expect(try scratch.read("in/.profile") == Array("x".utf8))
    }

    @Test("A folder that is named by a dot arrives under its own name")
    func dots() async throws {
        try scratch.write("holidays/sub/a", "a")
        let receiver = try await receiver()
        for (folder, path, name) in [("holidays", ".", "holidays"), ("holidays/sub", "..", "holidays (2)")] {
            // Otherwise the second one is the first, and is kept.
            try scratch.write("holidays/note", name)
            let script = #"cd "$1" && shift && exec "$0" "$@""#
            let sent = try await Tool.run(
                ["-c", script, Tool.multipeer, scratch / folder] + send([path]), program: "/bin/sh")
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(try scratch.read("in/\(name)/sub/a") == Array("a".utf8))
        }
        _ = await end(receiver)
    }

    @Test("Files and folders get the permissions that the umask allows")
    func permissions() async throws {
        try scratch.write("f/run", "x", mode: 0o755)
        try scratch.write("f/text", "x", mode: 0o600)
        let receiver = try Tool(
            [
                "-c", #"umask 027; exec "$0" "$@""#, Tool.multipeer, "receive", "--json", "--accept", "all", "--dir",
                scratch / "in", "--listen", "127.0.0.1:0",
            ] + store("Ben") + options, program: "/bin/sh")
        _ = try await receiver.event("advertised")
        let sent = try await Tool.run(send([scratch / "f", scratch / "f/run", scratch / "f/text"]))
        #expect(sent.status == 0, "\(sent.errors)")
        _ = await end(receiver)
        for (name, mode) in [("f", 0o750), ("f/run", 0o750), ("f/text", 0o640), ("run", 0o750), ("text", 0o640)] {
            #expect(try scratch.mode("in/" + name) == mode, "\(name)")
        }
    }

    @Test("A file that is sent again is kept once, and both commands say so; a changed one is another file")
    func identical() async throws {
        let path = try scratch.write("p1.jpg", TransferTests.bytes(200_000))
        let receiver = try await receiver()
        for isKept in [false, true] {
            let sent = try await Tool.run(send([path]))
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(sent.events.first("fileSent")?["kept"] == .boolean(isKept), "\(sent.output)")
        }
        let shown = try await Tool.run(["send", path, "--to", "Ben"] + store("Anna") + options)
        #expect(shown.output.contains("file sent to Ben: \(path) (identical, kept)\n"), "\(shown.output)")
        #expect(try scratch.names(in: "in").filter { $0.hasSuffix(".jpg") } == ["p1.jpg"])
        try scratch.write("p1.jpg", TransferTests.bytes(200_001))
        #expect(try await Tool.run(send([path])).events.first("fileSent")?["kept"] == .boolean(false))
        let received = await end(receiver)
        #expect(
            received.events.all("fileReceived").map { $0["kept"] } == [false, true, true, false].map { .boolean($0) })
        #expect(try scratch.names(in: "in").filter { $0.hasSuffix(".jpg") }.sorted() == ["p1 (2).jpg", "p1.jpg"])
    }

    @Test("A folder that is sent again is kept once, and both commands say so; a changed one is another folder")
    func identicalFolder() async throws {
        for name in ["trip/a.jpg", "trip/sub/b.jpg"] { try scratch.write(name, TransferTests.bytes(100_000)) }
        let path = scratch / "trip"
        let receiver = try await receiver()
        for isKept in [false, true] {
            let sent = try await Tool.run(send([path]))
            #expect(sent.status == 0, "\(sent.errors)")
            #expect(sent.events.first("fileSent")?["kept"] == .boolean(isKept), "\(sent.output)")
        }
        let shown = try await Tool.run(["send", path, "--to", "Ben"] + store("Anna") + options)
        #expect(shown.output.contains("(identical, kept)\n"), "\(shown.output)")
        #expect(try scratch.names(in: "in").filter { $0 != ".keep" } == ["trip"])
        try scratch.write("trip/sub/c.jpg", "c")
        #expect(try await Tool.run(send([path])).events.first("fileSent")?["kept"] == .boolean(false))
        let received = await end(receiver)
        #expect(
            received.events.all("fileReceived").map { $0["kept"] } == [false, true, true, false].map { .boolean($0) })
        #expect(try scratch.names(in: "in").filter { $0 != ".keep" }.sorted() == ["trip", "trip (2)"])
    }

    // MARK: What is left out

    @Test("Members of a folder that cannot be sent are named and counted, and refused with --strict")
    func leftOut() async throws {
        try scratch.write("f/a", "a")
        #expect(symlink("/etc/passwd", scratch / "f/link") == 0 && mkfifo(scratch / "f/pipe", 0o600) == 0)
        let made = try await Tool.run(
            ["-c", #"touch "$0/$(printf 'odd\377')""#, scratch / "f"], program: "/bin/sh")
        #expect(made.status == 0)
        let strict = try await Tool.run(send([scratch / "f"], ["--strict"]))
        #expect(strict.status == 66 && strict.events.first("failed")?["reason"]?.string?.contains("3 in it") == true)
        let receiver = try await receiver()
        let sent = try await Tool.run(send([scratch / "f"]))
        #expect(sent.status == 0, "\(sent.errors)")
        let event = try #require(sent.events.first("leftOut"))
        #expect(event["count"]?.number == 3 && event["unreadable"]?.number == 0)
        let reasons = Set((event["members"]?.elements ?? []).compactMap { $0["reason"]?.string })
        #expect(reasons == ["symbolicLink", "pipe", "nameNotText"])
        #expect(sent.events.first("fileSent")?["leftOut"]?.number == 3)
        #expect(try scratch.names(in: "in/f") == ["a"])
        // People read how many before the offer and at the end. The rest is there already.
        let shown = try await Tool.run(
            ["send", scratch / "f", "--to", "Ben"] + store("Anna") + options)
        #expect(shown.output.contains("3 in \(scratch / "f") are left out: "), "\(shown.output)")
        #expect(
            shown.output.contains("file sent to Ben: \(scratch / "f") (3 in it were left out) (identical, kept)\n"),
            "\(shown.output)")
        _ = await end(receiver)
    }

    // MARK: Senders

    @Test("A signal at the sender keeps the received bytes, and the file continues")
    func interrupted() async throws {
        let content = TransferTests.bytes(60_000_000)
        let path = try scratch.write("big", content)
        let receiver = try await receiver()
        let first = try Tool(send([path]))
        // So much has come that some of it is on the disk.
        try await eventually { heldBytes() > 2_000_000 }
        first.send(SIGTERM)
        #expect(await first.finish().status == 143)
        _ = try await receiver.event("fileFailed")
        #expect(heldBytes() > 0)
        let second = try await Tool.run(send([path]))
        #expect(second.status == 0, "\(second.errors)")
        #expect((second.events.first("fileResumed")?["offset"]?.number ?? 0) > 0, "\(second.output)")
        #expect(try Scratch.read(scratch / "in/big") == content)
        _ = await end(receiver)
    }

    private func heldBytes() -> Int {
        let holder = scratch / "in/\(HeldFiles.folderName)"
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: holder)) ?? []
        let sizes = names.filter { $0.hasSuffix(".held") }.map { name in
            (try? FileManager.default.attributesOfItem(atPath: holder + "/" + name)[.size] as? Int) ?? 0
        }
        return sizes.compactMap(\.self).reduce(0, +)
    }

    @Test("Several programs of one user wait for their turn, and all files arrive")
    func turns() async throws {
        let receiver = try await receiver()
        // An identity that all of them use.
        #expect(try await Tool.run(["identity", "create", "Anna", "--store", scratch / "Anna"]).status == 0)
        let senders = try (0..<5).map { number in
            try Tool(send([try scratch.write("\(number).bin", TransferTests.bytes(2_000_000 + number))]))
        }
        for sender in senders {
            let finished = await sender.finish()
            #expect(finished.status == 0, "\(finished.output)\(finished.errors)")
        }
        let received = await end(receiver)
        #expect(received.events.all("fileReceived").count == 5)
        #expect(try scratch.names(in: "in").filter { $0.hasSuffix(".bin") }.count == 5)
    }

    @Test("A sender waits for a receiver that dies, and sends nothing again that it has")
    func retried() async throws {
        let content = TransferTests.bytes(60_000_000)
        let path = try scratch.write("big", content)
        let first = try await receiver()
        let sender = try Tool(send([path]))
        try await eventually { heldBytes() > 2_000_000 }
        first.send(SIGKILL)
        _ = await first.finish()
        let second = try await receiver()
        let sent = await sender.finish()
        #expect(sent.status == 0, "\(sent.output)\(sent.errors)")
        #expect((sent.events.first("fileResumed")?["offset"]?.number ?? 0) > 0, "\(sent.output)")
        #expect(sent.events.first("fileFailed") == nil)
        #expect(try Scratch.read(scratch / "in/big") == content)
        _ = await end(second)
    }

    @Test("Two programs with one identity learn that they are the same, with a remedy")
    func sameIdentity() async throws {
        let receiver = try await receiver()
        let path = try scratch.write("a", "a")
        let sent = try await Tool.run(
            ["send", path, "--to", "Ben", "--json", "--within", "3"] + store("Ben") + options)
        #expect(sent.status == 69)
        let failed = try #require(sent.events.first("failed"))
        #expect(failed["reason"]?.string?.contains("same identity") == true, "\(failed)")
        #expect(failed["remedy"]?.string?.contains("--store") == true)
        _ = await end(receiver)
    }

    @Test("A code is accepted as people type it, and an unknown word is named")
    func codes() async throws {
        let receiver = try await receiver(["--code", "--once"])
        let code = try #require(try await receiver.event("code")["code"]?.string)
        let path = try scratch.write("a", "a")
        let wrong = try await Tool.run(["send", path, "--code", "4-tulpi-orbit"] + store("Anna") + options)
        #expect(wrong.status == 64 && wrong.errors.contains("tulpi is no word"), "\(wrong.errors)")
        let typed = code.replacing("-", with: "_").uppercased() + "\n"
        let sent = try await Tool.run(["send", path, "--code", typed] + store("Anna") + options)
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(await receiver.finish().status == 0)
    }

    @Test(
        "A file for which there is no room is declined at once, and promised files count",
        .enabled(if: OddDisk.isAvailable))
    func room() async throws {
        let disk = try OddDisk("--size", "4194304")
        let receiver = try Tool(
            ["receive", "--json", "--accept", "all", "--dir", disk.path, "--listen", "127.0.0.1:0"] + store("Ben")
                + options)
        _ = try await receiver.event("advertised")
        let sent = try await Tool.run(send([try scratch.write("large", TransferTests.bytes(4_100_000))]))
        #expect(sent.status == 69)
        #expect(sent.events.first("fileFailed")?["reason"]?.string?.contains("no room") == true, "\(sent.output)")
        #expect(sent.events.first("fileProgress") == nil)
        #expect(try await Tool.run(send([try scratch.write("small", "small")])).status == 0)
        _ = await end(receiver)
        #expect(try Scratch.read(disk.path + "/small") == Array("small".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: disk.path) == ["small"])
    }

    @Test("A held beginning is removed once the changed file is complete; until then the start reports it")
    func changedSource() async throws {
        let path = try scratch.write("big", TransferTests.bytes(60_000_000))
        let first = try await receiver()
        let sender = try Tool(send([path]))
        try await eventually { heldBytes() > 2_000_000 }
        sender.send(SIGINT)
        #expect(await sender.finish().status == 130)
        _ = try await first.event("fileFailed")
        _ = await end(first)
        #expect(heldBytes() > 2_000_000)
        let second = try await receiver()
        try scratch.write("big", "not so big any more")
        let sent = try await Tool.run(send([path]))
        #expect(sent.status == 0, "\(sent.errors)")
        #expect(await end(second).errors.contains("1 kept for 7 days"))
        #expect(heldBytes() == 0)
        #expect(try scratch.names(in: "in").filter { $0 != ".keep" } == ["big"])
    }

    @Test("Leftovers of an earlier run are reported at the start")
    func leftovers() async throws {
        try scratch.write("in/.a.bin.1f.partial", TransferTests.bytes(1_000))
        let receiver = try await receiver()
        #expect(await end(receiver).errors.contains("1 kept for 7 days (1000 bytes)"))
    }
}
