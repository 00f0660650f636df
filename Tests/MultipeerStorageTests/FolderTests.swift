import Foundation
import MultipeerCore
import MultipeerCrypto
import MultipeerTestSupport
import MultipeerWire
import Testing

@testable import MultipeerStorage

@Suite("Folders, SPEC §15.8", .timeLimit(.minutes(2)))
struct FolderTests {
    private let scratch: Scratch
    private let sender: IdentityKey

    init() throws {
        scratch = try Scratch()
        try FileManager.default.createDirectory(atPath: scratch / "in", withIntermediateDirectories: true)
        sender = try IdentityKey(rawBytes: [UInt8](repeating: 1, count: 32))
    }

    /// All bytes of what is sent.
    private func bytes(of file: OutgoingFile) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while UInt64(bytes.count) < file.length {
            bytes += try await file.read(at: UInt64(bytes.count), count: 1_000)
        }
        return bytes
    }

    private func begin(_ size: Int, manifest: Int, name: String = "f") async throws -> ReceivedFile {
        let offer = StoredOffer(
            name: name, size: UInt64(size), tag: [UInt8](repeating: 3, count: 16), kind: .folder,
            manifest: UInt64(manifest))
        let begun = try await ReceivedFile.begin(
            offer, from: sender, in: scratch / "in", digest: TestProvider.all.bulkDigest,
            now: Int64(Date().timeIntervalSince1970))
        return begun.file
    }

    private func received(_ members: [FolderMember], _ content: [UInt8] = []) async throws -> String {
        let manifest = FolderManifest(members: members).encoded
        let file = try await begin(manifest.count + content.count, manifest: manifest.count)
        try await file.write(manifest + content)
        return try await file.finish()
    }

    private func member(_ path: String, _ kind: FileKind = .file, size: Int = 0, modified: UInt64 = 0) -> FolderMember {
        FolderMember(kind: kind, size: UInt64(size), modified: modified, path: Array(path.utf8))
    }

    @Test("A folder arrives as it is: names, content, times, the right to execute, empty folders; and no links")
    func roundTrip() async throws {
        let long = (0..<2_500_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        try scratch.write("src/bin/run", [1, 2, 3], mode: 0o755)
        try scratch.write("src/a.txt", "text", mode: 0o644)
        try scratch.write("src/empty", "")
        try scratch.write("src/z/long.bin", long)
        try FileManager.default.createDirectory(atPath: scratch / "src/nothing", withIntermediateDirectories: true)
        try scratch.write("secret", "secret")
        try FileManager.default.createSymbolicLink(atPath: scratch / "src/link", withDestinationPath: "../secret")
        try FileManager.default.createSymbolicLink(atPath: scratch / "src/up", withDestinationPath: "..")
        #expect(mkfifo(scratch / "src/pipe", 0o600) == 0)
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: 1_234_567)], ofItemAtPath: scratch / "src/a.txt")
        let sent = try await OutgoingFile.open(scratch / "src")
        #expect(sent.kind == .folder && sent.name == "src")
        let whole = try await bytes(of: sent)
        let file = try await begin(whole.count, manifest: Int(sent.manifest), name: "src")
        try await file.write(whole)
        try await file.checkManifest()
        let path = try await file.finish()
        #expect(path == scratch / "in/src")
        #expect(try scratch.names(in: "in") == ["src"])
        #expect(try scratch.names(in: "in/src") == ["a.txt", "bin", "empty", "nothing", "z"])
        #expect(try scratch.read("in/src/z/long.bin") == long && scratch.read("in/src/empty").isEmpty)
        #expect(try scratch.mode("in/src/bin/run") == 0o700 && scratch.mode("in/src/a.txt") == 0o600)
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch / "in/src/a.txt")
        #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_234_567))
        // A second one does not replace the first.
        let again = try await begin(whole.count, manifest: Int(sent.manifest), name: "src")
        try await again.write(whole)
        #expect(try await again.finish() == scratch / "in/src (2)")
    }

    @Test("A folder that changes while it is read is noticed")
    func changes() async throws {
        try scratch.write("src/a", [UInt8](repeating: 1, count: 100))
        let sent = try await OutgoingFile.open(scratch / "src")
        try scratch.write("src/a", [UInt8](repeating: 2, count: 101))
        let error = await asyncStorageError { _ = try await bytes(of: sent) }
        #expect(error?.reason == .changedWhileReading)
    }

    @Test(
        "A manifest that leads out, or is otherwise wrong, creates nothing and is not held (R15.8-1)",
        arguments: [
            ["../x"], ["a/../../x"], ["/etc/x"], [".."], ["."], ["a//b"], ["a/"], ["b", "a"], ["a", "a"], ["a", "a/b"],
        ])
    func hostile(paths: [String]) async throws {
        let members = paths.enumerated().map { member($0.element, size: $0.offset == 0 ? 5 : 0) }
        let manifest = FolderManifest(members: members).encoded
        let file = try await begin(manifest.count + 5, manifest: manifest.count)
        try await file.write(manifest)
        #expect(await asyncStorageError { try await file.checkManifest() }?.reason == .badManifest)
        #expect(try scratch.names(in: "in").isEmpty && scratch.names == ["in"])
        // The same at the end, where nobody looked before.
        let error = await asyncStorageError { _ = try await received(paths.map { member($0) }) }
        #expect(error?.reason == .badManifest)
        #expect(try scratch.names(in: "in").isEmpty && scratch.names == ["in"])
    }

    @Test("Sizes that do not add up are wrong", arguments: [[1], [3], [2, .max >> 3]])
    func sizes(sizes: [Int]) async throws {
        let members = sizes.enumerated().map { member("f\($0.offset)", size: $0.element) }
        let error = await asyncStorageError { _ = try await received(members, [1, 2]) }
        #expect(error?.reason == .badManifest)
        #expect(try scratch.names(in: "in").isEmpty)
    }

    @Test("Parts get safe names, and different parts different ones (R15.8-2)")
    func names() async throws {
        let members = [
            member("A", size: 1), member("a", size: 1), member("a*/2", size: 1), member("a:/1", size: 1),
            member("a:/2", size: 1), member("con"), member("x\\..\\y"),
        ]
        let path = try await received(members, [1, 2, 3, 4, 5])
        let names = try FileManager.default.contentsOfDirectory(atPath: path).sorted()
        #expect(names == ["A", "_con", "a (2)", "a_", "a_ (2)", "x_.._y"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/a_") == ["2"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: path + "/a_ (2)").sorted() == ["1", "2"])
    }

    @Test("An empty folder, and what a killed process left")
    func empty() async throws {
        #expect(try await received([]) == scratch / "in/f")
        try scratch.write("in/.f.1f.partial-folder/sub/x", "x")
        #expect(try AbandonedFiles.sweep(scratch / "in", now: 0).removed == 1)
        #expect(try scratch.names(in: "in") == ["f"])
    }
}
