import Foundation
import Glibc
import MultipeerStorage
import MultipeerTestSupport
import Testing

@Suite("Files that continue after processes were killed, SPEC §15.7", .endsIfItHangs)
struct ResumeTests {
    private let scratch: Scratch
    private let anna: Person
    private let ben: Person

    init() async throws {
        scratch = try Scratch()
        anna = try await Person("Anna")
        ben = try await Person("Ben")
    }

    private var folder: String { scratch / "in" }

    private func listener() throws -> Tool {
        try Tool(
            ["listen", "--port", "0", "--json", "--accept", "all", "--accept-unverified", "--save", folder] + ben.store)
    }

    private func connector(_ address: String, _ path: String) throws -> Tool {
        try Tool(["connect", address, "--json", "--accept-unverified", "--file", path] + anna.store)
    }

    /// A sender is killed in the middle of a file.
    private func killSender(of path: String, to address: String, _ receiver: Tool) async throws {
        let relay = try await Bottleneck(before: address, passing: 10_000_000)
        let sender = try connector(relay.address, path)
        try await relay.waitUntilFull()
        _ = try await receiver.event("fileProgress")
        sender.send(SIGKILL)
        await relay.close()
        _ = await sender.finish()
        _ = try await receiver.event("failed")
    }

    /// Writes a long file whose bytes do not repeat with a chunk or a record. To compute each byte would take minutes.
    private func write(_ name: String, megabytes: Int) throws -> String {
        let path = try scratch.write(name, [])
        let handle = try #require(FileHandle(forWritingAtPath: path))
        let block = Data(TransferTests.bytes(1_000_003))
        for _ in 0..<megabytes { try handle.write(contentsOf: block) }
        try handle.close()
        return path
    }

    @Test("A file arrives although both processes are killed, and no held byte is sent again")
    func kills() async throws {
        let path = try write("big.bin", megabytes: 40)
        var offsets: [Int] = []
        var receiver = try listener()
        var address = try await receiver.address()
        for killsReceiver in [false, true, false] {
            let relay = try await Bottleneck(before: address, passing: 10_000_000)
            let sender = try connector(relay.address, path)
            try await relay.waitUntilFull()
            // Some of it is on the disk.
            _ = try await receiver.event("fileProgress")
            (killsReceiver ? receiver : sender).send(SIGKILL)
            await relay.close()
            if killsReceiver {
                _ = await receiver.finish()
                receiver = try listener()
                address = try await receiver.address()
            }
            let finished = await sender.finish()
            // What the receiver says later is of the next connection.
            if !killsReceiver { _ = try await receiver.event("failed") }
            offsets += finished.events.all("fileResumed").compactMap { $0["offset"]?.number }
        }
        let last = try connector(address, path)
        let finished = await last.finish()
        #expect(finished.status == 0)
        offsets += finished.events.all("fileResumed").compactMap { $0["offset"]?.number }
        try #require(offsets.count == 3, "\(offsets)")
        #expect(offsets == offsets.sorted() && offsets[0] > 0)
        #expect(try await TransferTests.sha256(folder + "/big.bin") == TransferTests.sha256(path))
        #expect(try scratch.names(in: "in") == ["big.bin"])
        receiver.send(SIGTERM)
        let received = await receiver.finish()
        #expect(received.events.all("fileResumed").last?["direction"] == .string("received"))
        #expect(received.events.all("fileResumed").last?["offset"]?.number == offsets.last)
    }

    @Test("A file that has changed in the meantime is sent anew")
    func changed() async throws {
        let path = try write("f.bin", megabytes: 20)
        let receiver = try listener()
        let address = try await receiver.address()
        try await killSender(of: path, to: address, receiver)
        let other = [UInt8](repeating: 3, count: 1_000)
        try Data(other).write(to: URL(fileURLWithPath: path))
        let finished = await (try connector(address, path)).finish()
        #expect(finished.status == 0 && finished.events.first("fileResumed") == nil)
        #expect(try Scratch.read(folder + "/f.bin") == other)
        receiver.send(SIGTERM)
        _ = await receiver.finish()
    }

    @Test("A damaged held beginning is dropped, and the file arrives all the same (R15.3-10)")
    func damaged() async throws {
        let path = try write("f.bin", megabytes: 20)
        let receiver = try listener()
        let address = try await receiver.address()
        try await killSender(of: path, to: address, receiver)
        let holder = folder + "/" + HeldFiles.folderName + "/" + anna.peerID
        let name = try #require(try FileManager.default.contentsOfDirectory(atPath: holder).first)
        let handle = try #require(FileHandle(forWritingAtPath: holder + "/" + name))
        try handle.write(contentsOf: [255, 255, 255])
        try handle.close()
        let finished = await (try connector(address, path)).finish()
        #expect(finished.status == 0 && finished.events.first("fileResumed") == nil)
        #expect(try await TransferTests.sha256(folder + "/f.bin") == TransferTests.sha256(path))
        receiver.send(SIGTERM)
        #expect(await receiver.finish().status == 0)
    }

    @Test("A limit of file sizes stops the file, both commands name it, and the link stays")
    func sizeLimit() async throws {
        let path = try scratch.write("f.bin", TransferTests.bytes(3_000_000))
        let receiver = try Tool(
            [
                "-c", #"trap '' XFSZ; ulimit -f 1000; exec "$0" "$@""#, Tool.laboratory, "listen", "--port", "0",
                "--json", "--accept", "all", "--accept-unverified", "--save", folder,
            ] + ben.store, program: "/bin/bash")
        let address = try await receiver.address()
        let finished = await (try connector(address, path)).finish()
        #expect(finished.status == 77)
        #expect(finished.events.first("fileFailed")?["reason"]?.string?.contains("too large") == true)
        receiver.send(SIGTERM)
        let received = await receiver.finish()
        #expect(received.events.first("fileFailed")?["reason"]?.string?.contains("of this size") == true)
        #expect(try !scratch.names(in: "in").contains(HeldFiles.folderName))
    }

    @Test("Many files at once, in both directions")
    func many() async throws {
        var options: [String] = []
        for number in 0..<40 {
            options += ["--file", try scratch.write("from/\(number).bin", TransferTests.bytes(number * 10_000))]
        }
        let back = try scratch.write("back.bin", TransferTests.bytes(500_000))
        let receiver = try Tool(
            [
                "listen", "--port", "0", "--once", "--json", "--accept", "all", "--accept-unverified", "--save", folder,
                "--file", back,
            ] + ben.store)
        let address = try await receiver.address()
        let sender = try Tool(
            ["connect", address, "--json", "--accept-unverified", "--stay", "--save", scratch / "out"] + anna.store
                + options)
        // They end in any order, and the sender hears of the last one after the receiver has said so.
        for _ in 0..<40 { _ = try await receiver.event("fileReceived") }
        for _ in 0..<40 { _ = try await sender.event("fileSent") }
        try await eventually { sender.events.first("fileReceived") != nil }
        sender.send(SIGINT)
        let (sent, received) = (await sender.finish(), await receiver.finish())
        #expect(sent.status == 130)
        #expect(sent.events.all("fileSent").count == 40 && received.events.all("fileReceived").count == 40)
        #expect(try scratch.names(in: "in").count == 40)
        #expect(try Scratch.read(scratch / "out/back.bin") == TransferTests.bytes(500_000))
    }
}
