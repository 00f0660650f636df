import Foundation
import Glibc
import MultipeerCore
import MultipeerCrypto
import MultipeerTestSupport
import MultipeerWire
import Testing

@testable import MultipeerStorage

@Suite("Files with holes", .endsIfItHangs)
struct HoleTests {
    /// Whether the disk of the tests has holes at all.
    static let disk: Bool = {
        guard let scratch = try? Scratch() else { return false }
        let file = open(scratch / "probe", O_CREAT | O_WRONLY, 0o600)
        defer { close(file) }
        return ftruncate(file, 1_000_000) == 0 && (try? allocated(scratch / "probe")) == 0
    }()

    private let scratch: Scratch
    private let sender: IdentityKey

    init() throws {
        scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch / "in", withIntermediateDirectories: true)
        sender = try IdentityKey(rawBytes: [UInt8](repeating: 1, count: 32))
    }

    /// How many bytes of the disk a file takes.
    private static func allocated(_ path: String) throws -> Int {
        var status = stat()
        guard lstat(path, &status) == 0 else { throw POSIXError(.ENOENT) }
        return Int(status.st_blocks) * 512
    }

    /// Three megabytes with a little in them: at the beginning, within a block, across the border of two blocks, and at the end.
    private static let content: [UInt8] = {
        var bytes = [UInt8](repeating: 0, count: 3_000_001)
        for place in [0..<5_000, 1_500_000..<1_500_001, 2_048_000 - 50..<2_048_000 + 50, 3_000_000..<3_000_001] {
            for index in place { bytes[index] = UInt8(truncatingIfNeeded: index | 1) }
        }
        return bytes
    }()
    /// What of the disk these may take: six blocks, and some for what the disk itself makes of them.
    private static let most = 100_000

    private func write(_ bytes: [UInt8], to file: ReceivedFile, by step: Int) async throws {
        for start in stride(from: 0, to: bytes.count, by: step) {
            try await file.write(Array(bytes[start..<min(start + step, bytes.count)]))
        }
    }

    private func begin(_ size: Int, manifest: Int? = nil) async throws -> BegunFile {
        let offer = StoredOffer(
            name: "f", size: UInt64(size), tag: [UInt8](repeating: 3, count: 16),
            kind: manifest == nil ? .file : .folder,
            manifest: UInt64(manifest ?? 0))
        return try await ReceivedFile.begin(
            offer, from: sender, in: scratch / "in", digest: TestProvider.all.bulkDigest,
            now: Int64(Date().timeIntervalSince1970))
    }

    @Test(
        "Blocks of zeros use no disk space, in pieces of any size", .enabled(if: disk),
        arguments: [999, 4_096, 65_519, 3_000_001])
    func holes(step: Int) async throws {
        let file = try await ReceivedFile.begin(
            named: "f", in: scratch.path, expectedLength: UInt64(Self.content.count))
        try await write(Self.content, to: file, by: step)
        _ = try await file.finish()
        #expect(try scratch.read("f") == Self.content)
        #expect(try Self.allocated(scratch / "f") < Self.most)
    }

    @Test("A file of zeros has its length, and uses no space", .enabled(if: disk))
    func zeros() async throws {
        let file = try await ReceivedFile.begin(named: "f", in: scratch.path, expectedLength: 1_000_001)
        try await write([UInt8](repeating: 0, count: 1_000_001), to: file, by: 65_519)
        _ = try await file.finish()
        #expect(try scratch.read("f").count == 1_000_001 && Self.allocated(scratch / "f") == 0)
    }

    @Test("A file continues in the middle of a hole: its hash covers the zeros too", .enabled(if: disk))
    func resumed() async throws {
        let held = 700_003
        let first = try await begin(Self.content.count)
        try await write(Array(Self.content.prefix(held)), to: first.file, by: 65_519)
        await first.file.keep()
        let second = try await begin(Self.content.count)
        let digester = try TestProvider.all.bulkDigest.makeDigester()
        digester.update(Array(Self.content.prefix(held)).span)
        #expect(second.beginning?.length == UInt64(held))
        #expect(try second.beginning?.digest == digester.finish())
        try await write(Array(Self.content.dropFirst(held)), to: second.file, by: 65_519)
        _ = try await second.file.finish()
        #expect(try scratch.read("in/f") == Self.content)
        #expect(try Self.allocated(scratch / "in/f") < Self.most)
    }

    @Test("A file in a folder has holes too", .enabled(if: disk))
    func folder() async throws {
        let members = ["a", "b"].map {
            FolderMember(kind: .file, size: UInt64(Self.content.count), modified: 0, path: Array($0.utf8))
        }
        let manifest = FolderManifest(members: members).encoded
        let begun = try await begin(manifest.count + 2 * Self.content.count, manifest: manifest.count)
        try await write(manifest + Self.content + Self.content, to: begun.file, by: 65_519)
        _ = try await begun.file.finish()
        for name in ["in/f/a", "in/f/b"] {
            #expect(try scratch.read(name) == Self.content && Self.allocated(scratch / name) < Self.most)
        }
    }

    @Test(
        "A disk without holes gets the zeros", .enabled(if: OddDisk.isAvailable, "A disk cannot be mounted here"),
        arguments: [[], ["--no-holes"]])
    func noHoles(options: [String]) async throws {
        let disk = try OddDisk(options)
        // After a hole at the end nothing is written that would fill it.
        let content = Self.content + [UInt8](repeating: 0, count: 10_000)
        let file = try await ReceivedFile.begin(named: "f", in: disk.path, expectedLength: UInt64(content.count))
        try await write(content, to: file, by: 65_519)
        #expect(try await Scratch.read(file.finish().path) == content)
    }
}
