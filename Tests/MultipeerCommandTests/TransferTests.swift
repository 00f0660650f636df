import Foundation
import MultipeerCore
import MultipeerCrypto
import MultipeerNIO
import MultipeerTestSupport
import MultipeerWire
import Testing

@Suite("Messages and files between processes, SPEC §15", .endsIfItHangs)
struct TransferTests {
    /// Bytes that do not come again at a distance that frames or blocks have: their period is a prime. To compute each of 60 million
    /// would keep a thread from all other tests for seconds.
    static func bytes(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count)
        while bytes.count < count { bytes += period.prefix(count - bytes.count) }
        return bytes
    }
    private static let period = (0..<65_537).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 13) }

    /// What sha256sum says.
    static func sha256(_ path: String) async throws -> String {
        let finished = try await Tool(["sha256sum", path], program: "/usr/bin/env").finish()
        return String(finished.output.prefix(64))
    }

    @Test("Messages arrive in order, whatever they contain")
    func messages() async throws {
        let messages = ["hello", "", "two\nlines", "\u{1B}[31mred\u{1B}[0m", "naïve 🎈 \u{202E}evil", #"\n"#]
        let meeting = try await Meeting.runUnverified(connect: messages.flatMap { ["--message", $0] })
        #expect(meeting.statuses == [0, 0])
        #expect(meeting.listener.events.all("message").map { $0["text"]?.string } == messages)
        #expect(meeting.listener.events.names.last == "closed")
    }

    @Test(
        "Files arrive whole, with the hash that sha256sum gives", arguments: [0, 1, 65_279, 65_280, 65_281, 3_000_000])
    func file(size: Int) async throws {
        let scratch = try Scratch()
        let path = try scratch.write("report.bin", Self.bytes(size))
        for encryption in ["required", "none"] {
            let folder = scratch / encryption
            let meeting = try await Meeting.runUnverified(
                listen: ["--save", folder, "--encryption", encryption],
                connect: ["--file", path, "--encryption", encryption])
            #expect(meeting.statuses == [0, 0])
            let hash = try await Self.sha256(path)
            let received = try #require(meeting.listener.events.first("fileReceived"))
            #expect(received["sha256"] == .string(hash))
            #expect(received["path"] == .string(folder + "/report.bin"))
            #expect(received["size"] == .number(Double(size)))
            #expect(meeting.connector.events.first("fileSent")?["sha256"] == .string(hash))
            #expect(try Scratch.read(folder + "/report.bin") == Self.bytes(size))
            #expect(try scratch.names(in: encryption) == ["report.bin"])
            let progress = meeting.connector.events.all("fileProgress").compactMap { $0["transferred"]?.number }
            #expect(progress == progress.sorted() && progress.count <= 101 && (progress.last ?? 0) == size)
        }
    }

    @Test("Several files, one after the other; a file that exists is not replaced")
    func several() async throws {
        let scratch = try Scratch()
        let (one, two) = (try scratch.write("a.txt", Array("one".utf8)), try scratch.write("b.txt", Array("two".utf8)))
        try FileManager.default.createDirectory(atPath: scratch / "in", withIntermediateDirectories: true)
        _ = try scratch.write("in/a.txt", Array("mine".utf8))
        let meeting = try await Meeting.runUnverified(
            listen: ["--save", scratch / "in"], connect: ["--file", one, "--file", two, "--message", "two files"])
        #expect(meeting.statuses == [0, 0])
        #expect(try scratch.names(in: "in") == ["a (2).txt", "a.txt", "b.txt"])
        #expect(try Scratch.read(scratch / "in/a.txt") == Array("mine".utf8))
        #expect(try Scratch.read(scratch / "in/a (2).txt") == Array("one".utf8))
        #expect(meeting.connector.events.all("fileSent").count == 2)
    }

    @Test("Without --save a file is declined: the sender fails, the receiver does not")
    func declined() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("a.txt", Array("one".utf8))
        let meeting = try await Meeting.runUnverified(connect: ["--file", path])
        #expect(meeting.statuses == [0, 77])
        #expect(meeting.listener.events.first("fileOffered")?["accepted"] == .boolean(false))
        #expect(meeting.connector.events.first("fileFailed")?["reason"]?.string?.contains("declined") == true)
        #expect(meeting.connector.events.first("failed")?["phase"] == .string("file transfer"))
    }

    @Test("A folder that cannot be written to stops the file, and both commands say so")
    func unwritable() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("a.txt", Array("one".utf8))
        let listener = try Tool(
            ["listen", "--port", "0", "--once", "--json", "--accept", "all", "--accept-unverified"]
                + ["--save", scratch / "in"])
        let address = try await listener.address()
        // Gone between the start and the offer.
        try FileManager.default.removeItem(atPath: scratch / "in")
        let connector = try await Tool.run(["connect", address, "--json", "--accept-unverified", "--file", path])
        let finished = await listener.finish()
        #expect([finished.status, connector.status] == [66, 77])
        #expect(finished.events.first("fileFailed")?["direction"] == .string("received"))
    }

    @Test("Messages that were not sent when the peer closes are a failure")
    func unsentMessages() async throws {
        let scratch = try Scratch()
        let peer = try await DeafPeer(at: .unixSocket(path: scratch / "socket"))
        // More than the sockets take, and less than the tool accepts at once.
        let text = String(repeating: "x", count: 100_000)
        let connector = try Tool(
            ["connect", "unix:" + (scratch / "socket"), "--json", "--accept-unverified"]
                + (0..<9).flatMap { _ in ["--message", text] })
        _ = try await connector.event("opened")
        try await peer.close()
        let finished = await connector.finish()
        #expect(finished.status == 69)
        let failed = finished.events.first("failed")
        #expect(failed?["phase"] == .string("session"))
        #expect(failed?["reason"]?.string?.contains("not sent") == true, "\(finished.output)")
    }

    @Test("A file that cannot be read is reported before anybody connects")
    func unreadable() async throws {
        let missing = try await Tool.run(
            ["connect", "127.0.0.1:1", "--accept-unverified", "--file", "/nonexistent/file"])
        #expect(missing.status == 66)
        let folder = try await Tool.run(["connect", "127.0.0.1:1", "--accept-unverified", "--file", "/dev/null"])
        #expect(folder.status == 66)
    }

    @Test(
        "Names that lead out of the folder are stored inside it",
        arguments: [
            ("../../escaped", "escaped"), ("/etc/passwd", "passwd"), ("..\\..\\evil.exe", "\\..\\evil.exe"),
            ("..", "file"),
            (".hidden", "hidden"), ("a\u{0}b\nc", "abc"), ("CON", "CON"),
        ])
    func traversal(name: String, local: String) async throws {
        let scratch = try Scratch()
        let listener = try Tool(
            ["listen", "--port", "0", "--once", "--json", "--accept", "all", "--accept-unverified"]
                + ["--save", scratch / "in"])
        let peer = try await RawPeer(try await listener.address())
        try await peer.open()
        let content = Array("content".utf8)
        let ended = try await peer.send(content, named: name)
        await peer.close()
        let finished = await listener.finish()
        #expect(ended == .delivered && finished.status == 0)
        #expect(finished.events.first("fileReceived")?["path"] == .string(scratch / "in/\(local)"))
        #expect(try scratch.names(in: "in") == [local])
        #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.path) == ["in"])
    }

    @Test("A file that breaks off in the middle leaves nothing behind")
    func cut() async throws {
        let scratch = try Scratch()
        let listener = try Tool(
            ["listen", "--port", "0", "--once", "--json", "--accept", "all", "--accept-unverified"]
                + ["--save", scratch / "in"])
        let peer = try await RawPeer(try await listener.address())
        try await peer.open()
        let ended = try await peer.send(Self.bytes(200_000), named: "half.bin", stoppingAfter: 100_000)
        #expect(ended == .stopped)
        _ = try await listener.event("fileProgress")
        await peer.abort()
        let finished = await listener.finish()
        #expect(finished.status == 69)
        #expect(finished.events.first("fileFailed") != nil)
        #expect(finished.events.first("failed")?["phase"] == .string("session"))
        #expect(try scratch.names(in: "in") == [])
    }

    @Test("A file that cannot be published is not delivered: FILE_DONE follows storage, R15.3-6")
    func unpublished() async throws {
        let scratch = try Scratch()
        let listener = try Tool(
            ["listen", "--port", "0", "--once", "--json", "--accept", "all", "--accept-unverified"]
                + ["--save", scratch / "in"])
        let peer = try await RawPeer(try await listener.address())
        try await peer.open()
        // All bytes can be written; that the file gets its name is what fails, because its folder is gone.
        let ended = try await peer.send(Self.bytes(200_000), named: "lost.bin") {
            try FileManager.default.removeItem(atPath: scratch / "in")
        }
        #expect(ended == .ended(.storageFailed))
        await peer.close()
        let finished = await listener.finish()
        #expect(finished.status == 73)
        #expect(finished.events.first("fileReceived") == nil)
        #expect(finished.events.first("fileFailed")?["direction"] == .string("received"))
    }

    @Test("A receiver that is interrupted cancels the file, and the sender says so", arguments: 0..<6)
    func interruptedReceiver(run: Int) async throws {
        let scratch = try Scratch()
        let path = try scratch.write("endless.bin", [])
        // The system stores no holes, so this costs nothing but the time until the signal. There must be room for it at the receiver.
        try #require(FileHandle(forWritingAtPath: path)).truncate(atOffset: 1 << 31)
        let listener = try Tool(
            ["listen", "--port", "0", "--json", "--accept", "all", "--accept-unverified", "--save", scratch / "in"])
        let connector = try Tool(
            ["connect", try await listener.address(), "--json", "--accept-unverified", "--file", path])
        // Before the offer, after it, or when bytes come: the reason is the same.
        _ = try await listener.event(["opened", "fileOffered", "fileProgress"][run % 3])
        listener.send(SIGINT)
        let (received, sent) = (await listener.finish(), await connector.finish())
        #expect([received.status, sent.status] == [0, 69])
        #expect(sent.events.first("fileFailed")?["reason"]?.string?.contains("the peer ended the link") == true)
        #expect(sent.events.first("failed")?["exitStatus"] == .number(69))
        #expect(try scratch.names(in: "in") == [])
    }

    @Test("A receiver that closes between two files cancels the second one")
    func closedBetweenFiles() async throws {
        let scratch = try Scratch()
        let (one, two) = (try scratch.write("a.txt", [1]), try scratch.write("b.txt", [2]))
        let receiver = try await RawReceiver()
        let connector = try Tool(
            ["connect", receiver.address, "--json", "--accept-unverified", "--file", one, "--file", two])
        #expect(try await receiver.receive(closing: true) == nil)
        let finished = await connector.finish()
        await receiver.shutdown()
        #expect(finished.status == 69)
        #expect(finished.events.all("fileSent").count == 1)
        let failed = finished.events.all("fileFailed")
        #expect(failed.map { $0["name"] } == [.string("b.txt")])
        #expect(failed.first?["reason"]?.string?.contains("the peer ended the link") == true)
    }

    @Test("A file that changes after it was opened is not sent as another one")
    func changedSource() async throws {
        let scratch = try Scratch()
        let path = try scratch.write("a.bin", Self.bytes(3_000_000))
        let receiver = try await RawReceiver()
        let connector = try Tool(["connect", receiver.address, "--json", "--accept-unverified", "--file", path])
        // The offer says how long the file is; what is read after it is not what was offered.
        let ended = try await receiver.receive(beforeAccepting: { _ = try scratch.write("a.bin", [1, 2, 3]) })
        #expect(ended == .sourceChanged)
        let finished = await connector.finish()
        await receiver.shutdown()
        #expect(finished.status == 66)
        #expect(finished.events.first("fileFailed")?["reason"]?.string?.contains("changed") == true)
    }
}
