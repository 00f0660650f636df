import Foundation
import MultipeerCore
import MultipeerCrypto
import MultipeerTestSupport
import MultipeerWire
import Testing

@testable import MultipeerStorage

@Suite("Folders, SPEC §15.8", .endsIfItHangs)
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
        return try await file.finish().path
    }

    private func member(_ path: String, _ kind: FileKind = .file, size: Int = 0, modified: UInt64 = 0) -> FolderMember {
        FolderMember(kind: kind, size: UInt64(size), modified: modified, path: Array(path.utf8))
    }

    @Test("A folder arrives complete: names, content, times, permission to execute, empty folders; and no links")
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
        let finished = try await file.finish()
        #expect(finished.path == scratch / "in/src" && finished.name == "src" && finished.renamed.count == 0)
        #expect(try scratch.names(in: "in") == ["src"])
        #expect(try scratch.names(in: "in/src") == ["a.txt", "bin", "empty", "nothing", "z"])
        #expect(try scratch.read("in/src/z/long.bin") == long && scratch.read("in/src/empty").isEmpty)
        #expect(try scratch.mode("in/src/bin/run") == scratch.usualMode(true))
        #expect(try scratch.mode("in/src/a.txt") == scratch.usualMode())
        let attributes = try FileManager.default.attributesOfItem(atPath: scratch / "in/src/a.txt")
        #expect(attributes[.modificationDate] as? Date == Date(timeIntervalSince1970: 1_234_567))
        // A second one does not replace the first.
        let again = try await begin(whole.count, manifest: Int(sent.manifest), name: "src")
        try await again.write(whole)
        #expect(try await again.finish().path == scratch / "in/src (2)")
    }

    // MARK: Folders that are there already

    /// Receives a folder of four members under the name `f`.
    private func receivedAgain(keeping: Bool = true) async throws -> FinishedFile {
        let members = [
            member("a", size: 3), member("b", .folder), member("c/d", size: 0), member("c/run", .executable, size: 2),
        ]
        let manifest = FolderManifest(members: members).encoded
        let file = try await begin(manifest.count + 5, manifest: manifest.count)
        try await file.write(manifest + [1, 2, 3, 4, 5])
        return try await file.finish(keepingIdentical: keeping)
    }

    @Test("An identical folder stays, and nothing of the received one is left (SPEC §15.5)")
    func identical() async throws {
        #expect(try await !receivedAgain().isKept)
        try scratch.write("in/f/a", [1, 2, 3])
        let inode = try FileManager.default.attributesOfItem(atPath: scratch / "in/f")[.systemFileNumber] as? Int
        let again = try await receivedAgain()
        #expect(again.isKept && again.path == scratch / "in/f" && again.name == "f" && again.renamed.count == 0)
        #expect(try scratch.names(in: "in") == ["f"])
        #expect(
            try FileManager.default.attributesOfItem(atPath: scratch / "in/f")[.systemFileNumber] as? Int == inode)
        let other = try await receivedAgain(keeping: false)
        #expect(!other.isKept && other.path == scratch / "in/f (2)")
    }

    @Test(
        "A folder that differs in anything is another one",
        arguments: [
            "byte", "length", "file more", "file less", "folder more", "folder less", "name", "link", "file for folder",
            "folder for file", "not text", "link to it",
        ])
    func different(change: String) async throws {
        _ = try await receivedAgain()
        let (files, path) = (FileManager.default, scratch / "in/f/")
        switch change {
        case "byte": try scratch.write("in/f/c/run", [4, 6])
        case "length": try scratch.write("in/f/c/d", [1])
        case "file more": try scratch.write("in/f/c/more", [])
        case "file less": try files.removeItem(atPath: path + "a")
        case "folder more": try files.createDirectory(atPath: path + "b/more", withIntermediateDirectories: false)
        case "folder less": try files.removeItem(atPath: path + "b")
        case "name": try files.moveItem(atPath: path + "a", toPath: path + "A")
        case "link":
            try files.moveItem(atPath: path + "a", toPath: scratch / "a")
            try files.createSymbolicLink(atPath: path + "a", withDestinationPath: scratch / "a")
        case "file for folder":
            try files.removeItem(atPath: path + "b")
            try scratch.write("in/f/b", [])
        case "folder for file":
            try files.removeItem(atPath: path + "c/d")
            try files.createDirectory(atPath: path + "c/d", withIntermediateDirectories: false)
        case "not text":
            let name = Array((path + "b/").utf8) + [0xFF, 0]
            #expect(name.map(CChar.init(bitPattern:)).withUnsafeBufferPointer { mkdir($0.baseAddress!, 0o700) } == 0)
        default:
            try files.moveItem(atPath: scratch / "in/f", toPath: scratch / "f")
            try files.createSymbolicLink(atPath: scratch / "in/f", withDestinationPath: scratch / "f")
        }
        let again = try await receivedAgain()
        #expect(!again.isKept && again.path == scratch / "in/f (2)")
        #expect(try scratch.read("in/f (2)/c/run") == [4, 5])
    }

    @Test("If a folder has too many members, the error names the folder, and not the last one that was read")
    func manyMembers() throws {
        for name in ["src/a", "src/sub/b", "src/sub/c"] { try scratch.write(name, "") }
        func walk(_ most: Int) throws {
            var walk = FolderWalk(of: scratch / "src", mostMembers: most)
            try walk.enter(OpenFile.openDirectory(scratch / "src"), [])
        }
        try walk(4)
        #expect(
            storageError { try walk(3) } == StorageError(.open, scratch / "src", .tooManyMembers(limit: 3)))
    }

    @Test("A time before 1970 is omitted, because an offer cannot hold it")
    func earlyTime() async throws {
        let path = try scratch.write("src/old", "old")
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: -1_000_000)], ofItemAtPath: path)
        #expect(try await OutgoingFile.open(path).modified == 0)
        let sent = try await OutgoingFile.open(scratch / "src")
        let whole = try await bytes(of: sent)
        let manifest = try FolderManifest(
            encoded: Array(whole.prefix(Int(sent.manifest))).span, offerSize: sent.length)
        #expect(manifest.members.map(\.modified) == [0])
    }

    @Test("A folder that changes while it is read is detected")
    func changes() async throws {
        try scratch.write("src/a", [UInt8](repeating: 1, count: 100))
        let sent = try await OutgoingFile.open(scratch / "src")
        try scratch.write("src/a", [UInt8](repeating: 2, count: 101))
        let error = await asyncStorageError { _ = try await bytes(of: sent) }
        #expect(error?.reason == .changedWhileReading)
    }

    @Test(
        "A manifest that leads out, or is otherwise invalid, creates nothing and is not held (R15.8-1)",
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

    @Test("Sizes that do not add up are invalid", arguments: [[1], [3], [2, .max >> 3]])
    func sizes(sizes: [Int]) async throws {
        let members = sizes.enumerated().map { member("f\($0.offset)", size: $0.element) }
        let error = await asyncStorageError { _ = try await received(members, [1, 2]) }
        #expect(error?.reason == .badManifest)
        #expect(try scratch.names(in: "in").isEmpty)
    }

    /// Receives files, each with its own path as content, into a folder of a disk. Returns where they are, and what changed.
    private func received(_ paths: [String], in directory: String) async throws -> (path: String, RenamedMembers) {
        let sorted = paths.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
        let manifest = FolderManifest(members: sorted.map { member($0, size: $0.utf8.count) }).encoded
        let content = sorted.flatMap { Array($0.utf8) }
        let offer = StoredOffer(
            name: "f", size: UInt64(manifest.count + content.count), kind: .folder, manifest: UInt64(manifest.count))
        let begun = try await ReceivedFile.begin(
            offer, from: sender, in: directory, digest: TestProvider.all.bulkDigest, now: 0)
        try await begun.file.write(manifest + content)
        let finished = try await begun.file.finish()
        return (finished.path, finished.renamed)
    }

    /// The files of a folder that have these very names, and their own path as content.
    private func expectKept(_ paths: [String], in folder: String) throws {
        let names = try OddDisk.names(folder)
        for path in paths {
            #expect(names.contains(Array(path.utf8)), "\(path.debugDescription) of \(names.count)")
            #expect(try Scratch.read(folder + "/" + path) == Array(path.utf8), "\(path.debugDescription)")
        }
    }

    @Test("If the disk holds them, all names stay; only dangerous ones change, to unique names (R15.8-2)")
    func names() async throws {
        let kept = [
            ".env", "env", ".git", "Makefile", "makefile", "M.eml:2,S", "e\u{301}", "\u{E9}", "x\\..\\y", "con", "a*?",
            "t. ",
            String(repeating: "n", count: 251) + ".txt", "c", "c (2)", "file",
        ]
        let (path, renamed) = try await received(kept + ["c\u{1}", "\u{1}c", "  ", "\u{202E}d"], in: scratch / "in")
        try expectKept(kept, in: path)
        let names = try OddDisk.names(path)
        #expect(names.count == kept.count + 4)
        #expect(renamed.count == 4)
        #expect(
            renamed.named.map { [$0.path, $0.localPath] } == [
                ["\u{1}c", "c (3)"], ["  ", "file (2)"], ["c\u{1}", "c (4)"], ["\u{202E}d", "d"],
            ])
        for member in renamed.named {
            #expect(try Scratch.read(path + "/" + member.localPath) == Array(member.path.utf8))
        }
    }

    @Test("Members of a renamed folder move with it, and do not count as renamed (R15.8-2)")
    func folderNames() async throws {
        let (path, renamed) = try await received(
            ["a\u{1}/1", "a\u{1}/2", "a\u{2}/1", "a/3", "a\u{1}/b\u{2}"], in: scratch / "in")
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).sorted() == ["a", "a (2)", "a (3)"])
        #expect(try OddDisk.names(path + "/a (2)") == [Array("1".utf8), Array("2".utf8), Array("b".utf8)])
        #expect(
            try OddDisk.names(path + "/a (3)") == [Array("1".utf8)] && OddDisk.names(path + "/a") == [Array("3".utf8)])
        #expect(Set(renamed.named.map(\.localPath)) == ["a (2)", "a (2)/b", "a (3)"])
    }

    @Test(
        "A disk with one way of renaming: a folder still gets its name, and replaces nothing",
        .enabled(if: OddDisk.isAvailable, "A disk cannot be mounted here"))
    func plainRename() async throws {
        let disk = try OddDisk("--fold", "--plain-rename")
        let (first, _) = try await received(["a"], in: disk.path)
        let (second, _) = try await received(["b"], in: disk.path)
        #expect([first, second] == [disk.path + "/f", disk.path + "/f (2)"])
        #expect(try OddDisk.names(first) == [Array("a".utf8)] && OddDisk.names(second) == [Array("b".utf8)])
    }

    @Test(
        "A disk that ignores case: the first keeps its name, and the others are reported (R15.8-2)",
        .enabled(if: OddDisk.isAvailable, "A disk cannot be mounted here"))
    func foldingDisk() async throws {
        let disk = try OddDisk("--fold")
        let names = [".env", "env", "Makefile", "makefile", "makefile (2)", "e\u{301}", "\u{E9}", "A/x", "a/y"]
        let (path, renamed) = try await received(names, in: disk.path)
        try expectKept([".env", "env", "Makefile", "makefile (2)", "e\u{301}"], in: path)
        #expect(
            Dictionary(uniqueKeysWithValues: renamed.named.map { ($0.path, $0.localPath) }) == [
                "makefile": "makefile (3)", "\u{E9}": "\u{E9} (2)", "a": "a (2)",
            ])
        #expect(try Scratch.read(path + "/makefile (3)") == Array("makefile".utf8))
        #expect(try Scratch.read(path + "/\u{E9} (2)") == Array("\u{E9}".utf8))
        #expect(
            try Scratch.read(path + "/A/x") == Array("A/x".utf8) && Scratch.read(path + "/a (2)/y") == Array("a/y".utf8)
        )
    }

    @Test(
        "A name that the disk cannot hold becomes the portable one, and a cut name replaces no other (SPEC §15.5)",
        .enabled(if: OddDisk.isAvailable, "A disk cannot be mounted here"))
    func narrowDisk() async throws {
        let disk = try OddDisk("--fold", "--narrow")
        let long = String(repeating: "n", count: 240) + ".txt"
        let names = [".env", "env", "M.eml:2,S", "M.eml_2,S", "dots.", "dots", "alone.", "e\u{301}", long, "d:/x"]
        let (path, renamed) = try await received(names, in: disk.path)
        try expectKept([".env", "env", "M.eml_2,S", "dots", "e\u{301}"], in: path)
        let local = Dictionary(uniqueKeysWithValues: renamed.named.map { ($0.path, $0.localPath) })
        #expect(
            local == [
                "M.eml:2,S": "M (2).eml_2,S", "dots.": "dots (2)", "alone.": "alone",
                long: String(repeating: "n", count: 196) + ".txt", "d:": "d_",
            ])
        for (name, localPath) in local where name != "d:" {
            #expect(try Scratch.read(path + "/" + localPath) == Array(name.utf8), "\(name)")
        }
        #expect(try OddDisk.names(path).contains(Array("alone".utf8)))
        let single = try await ReceivedFile.begin(named: "b:", in: disk.path, expectedLength: 0).finish()
        #expect(single.path == disk.path + "/b_" && single.name == "b_")
        let cut = try await ReceivedFile.begin(named: "end.", in: disk.path, expectedLength: 0).finish()
        #expect(cut.path == disk.path + "/end" && cut.name == "end")
    }

    @Test("An empty folder, and leftovers of a killed process")
    func empty() async throws {
        #expect(try await received([]) == scratch / "in/f")
        try scratch.write("in/.f.1f.partial-folder/sub/x", "x")
        #expect(try AbandonedFiles.sweep(scratch / "in", now: 0).removed == 1)
        #expect(try scratch.names(in: "in") == ["f"])
    }
}
