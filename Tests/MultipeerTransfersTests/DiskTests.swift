import Foundation
import Glibc
import MultipeerCore
import MultipeerStorage
import MultipeerTestSupport
import MultipeerTransfers
import MultipeerWire
import Testing

@Suite("Files and disks that fail, SPEC §15.3", .endsIfItHangs)
struct DiskTests {
    private let scratch: Scratch

    init() throws {
        scratch = try Scratch()
    }

    /// Sends a file into a folder that does not take it. Returns what both peers say.
    private func fail(length: Int, into path: String) async throws -> (sent: TransferError?, received: TransferError?) {
        let pair = try await Pair()
        let file = try await scratch.outgoing("a.bin", content(length))
        let sending = Task { try await pair.anna.transfers.send(file, tag: tag) }
        let received = await failure {
            try await pair.ben.transfers.receive(try await pair.ben.offer(), from: pair.ben.other, into: path)
        }
        let sent = await failure { try await sending.value }
        await pair.close()
        return (sent, received)
    }

    @Test("A full disk ends the file, and the sender gets the reason", .enabled(if: TinyDisk.isAvailable))
    func full() async throws {
        let disk = try TinyDisk()
        let (sent, received) = try await fail(length: 3_000_000, into: disk.path)
        #expect(sent == .cancelled(.noSpace, byPeer: true))
        guard case .storage(let error) = received else { throw Surprise(error: received) }
        #expect(error.reason == .noSpace && received?.reason.contains("no space left") == true)
    }

    @Test("A read-only disk ends the file", .enabled(if: TinyDisk.isAvailable))
    func readOnly() async throws {
        let disk = try TinyDisk()
        try disk.protect()
        let (sent, received) = try await fail(length: 1_000, into: disk.path)
        #expect(sent == .cancelled(.noPermission, byPeer: true))
        guard case .storage(let error) = received else { throw Surprise(error: received) }
        #expect(error.reason == .readOnlyFileSystem)
    }

    @Test(
        "A folder without permissions ends the file", .enabled(if: geteuid() != 0, "The administrator has all rights"))
    func noRights() async throws {
        let folder = try Scratch()
        chmod(folder.path, 0o500)
        let (sent, received) = try await fail(length: 1_000, into: folder.path)
        #expect(sent == .cancelled(.noPermission, byPeer: true))
        guard case .storage(let error) = received else { throw Surprise(error: received) }
        #expect(error.reason == .permissionDenied)
    }

    @Test("A missing folder ends the file")
    func gone() async throws {
        let (sent, received) = try await fail(length: 1_000, into: scratch / "nowhere")
        #expect(sent == .cancelled(.storageFailed, byPeer: true))
        #expect(received == .storage(StorageError(.open, scratch / "nowhere", .notFound)))
    }

    @Test("A file that changes while it is sent ends, for both peers (R15.3-11)")
    func changed() async throws {
        let (pair, folder) = (try await Pair(), try Scratch())
        let file = try await scratch.outgoing("a.bin", content(6_000_000))
        let path = file.path
        let sending = Task { try await pair.anna.transfers.send(file, tag: tag) }
        pair.ben.link.trap(at: 100_000) {
            _ = try? Data([1]).write(to: URL(fileURLWithPath: path))
        }
        let received = await failure { try await pair.ben.receive(into: folder) }
        #expect(received == .cancelled(.sourceChanged, byPeer: true))
        #expect(
            await failure { try await sending.value } == .storage(StorageError(.read, path, .changedWhileReading)))
        #expect(folder.names == [])
        await pair.close()
    }

    @Test("An inbox is created, accepts files, and reports leftovers")
    func inbox() throws {
        let path = scratch / "new/inbox"
        let inbox = try DownloadDirectory.open(path)
        #expect(inbox.directory == path && inbox.abandoned.kept == 0)
        #expect(try scratch.mode("new/inbox") == 0o700)
        try scratch.write("new/inbox/.a.bin.123.partial", content(10))
        let later = try DownloadDirectory.open(path)
        #expect(later.abandoned.kept == 1 && later.abandoned.keptBytes == 10)
        let end = SystemClock.wall() + AbandonedFiles.maximumAge + 1
        #expect(try DownloadDirectory.open(path, now: end).abandoned.removed == 1)
        try scratch.write("file", "x")
        #expect(throws: StorageError.self) { try DownloadDirectory.open(scratch / "file") }
    }

    private struct Surprise: Error { let error: TransferError? }
}
