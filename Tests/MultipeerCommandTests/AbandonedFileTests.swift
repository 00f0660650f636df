import Foundation
import Glibc
import MultipeerStorage
import MultipeerTestSupport
import Testing

@Suite("Unfinished files of receivers that are gone", .endsIfItHangs)
struct AbandonedFileTests {
    private let scratch: Scratch
    private let folder: String

    init() throws {
        scratch = try Scratch()
        folder = scratch / "in"
    }

    private var listening: [String] {
        ["listen", "--port", "0", "--json", "--accept", "all", "--accept-unverified", "--save", folder]
    }

    /// A listener that has received the half of a file.
    private func receiver() async throws -> (Tool, RawPeer) {
        let listener = try Tool(listening)
        let peer = try await RawPeer(try await listener.address())
        try await peer.open()
        let ended = try await peer.send(TransferTests.bytes(200_000), named: "half.bin", stoppingAfter: 100_000)
        #expect(ended == .stopped)
        _ = try await listener.event("fileProgress")
        return (listener, peer)
    }

    /// Starts another listener with the same folder, and returns what it says.
    private func restart() async throws -> String {
        let listener = try Tool(listening)
        _ = try await listener.address()
        listener.send(SIGTERM)
        return await listener.finish().errors
    }

    private func names() throws -> [String] { try scratch.names(in: "in") }

    private func age(by seconds: Int64) throws {
        for name in try names() {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSinceNow: -Double(seconds))], ofItemAtPath: folder + "/" + name)
        }
    }

    @Test("A file of a running process stays, however old it is")
    func living() async throws {
        let (listener, peer) = try await receiver()
        #expect(try names().count == 1)
        try age(by: AbandonedFiles.maximumAge * 2)
        #expect(try await !restart().contains("unfinished"))
        #expect(try names().count == 1)
        await peer.abort()
        listener.send(SIGTERM)
        _ = await listener.finish()
        #expect(try names() == [])
    }

    @Test("A file of a killed process is kept for a while, and then removed")
    func killed() async throws {
        let (listener, _) = try await receiver()
        listener.send(SIGKILL)
        #expect(await listener.finish().status == 137)
        #expect(try names().count == 1)
        try age(by: AbandonedFiles.maximumAge - 3_600)
        #expect(try await restart().contains("1 kept for 7 days"))
        #expect(try names().count == 1)
        try age(by: AbandonedFiles.maximumAge + 3_600)
        #expect(try await restart().contains("1 removed after 7 days"))
        #expect(try names() == [])
    }

    @Test("A listener whose terminal closes removes its unfinished files")
    func hangUp() async throws {
        let (listener, _) = try await receiver()
        listener.send(SIGHUP)
        #expect(await listener.finish().status == 0)
        #expect(try names() == [])
    }

    @Test("Only files of the right form count as unfinished ones")
    func others() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in [".partial", ".a.partial", "a.0.partial", ".a.xyz.partial", ".a.0.partial~", ".a..partial"] {
            _ = try scratch.write("in/" + name, [1])
        }
        let target = try scratch.write("target", [1])
        try FileManager.default.createSymbolicLink(atPath: folder + "/.l.0.partial", withDestinationPath: target)
        #expect(mkfifo(folder + "/.p.0.partial", 0o600) == 0)
        let before = try names()
        let none = try AbandonedFiles.sweep(folder, now: .max)
        #expect(none.kept == 0 && none.removed == 0)
        #expect(try names() == before)
        _ = try scratch.write("in/.a.b.ff.partial", [1, 2, 3])
        #expect(try AbandonedFiles.sweep(folder, now: 0).keptBytes == 3)
        #expect(try AbandonedFiles.sweep(folder, now: .max).removed == 1)
        #expect(try names() == before)
    }
}
