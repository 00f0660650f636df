import Foundation
import MultipeerStorage
import MultipeerTestSupport
import Testing

@Suite("Incoming files, SPEC §15")
struct ReceivedFileTests {
    private func received(
        _ name: String, in scratch: Scratch, length: Int, chunks: [[UInt8]]
    ) async throws -> ReceivedFile {
        let file = try await ReceivedFile.begin(named: name, in: scratch.path, expectedLength: UInt64(length))
        for chunk in chunks { try await file.write(chunk) }
        return file
    }

    @Test("A finished file has its bytes and its name; before that, its partial file has another name")
    func whole() async throws {
        let scratch = try Scratch()
        let content = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }
        let chunks = stride(from: 0, to: content.count, by: 65_536).map {
            Array(content[$0..<min($0 + 65_536, content.count)])
        }
        let file = try await received("photo.jpg", in: scratch, length: content.count, chunks: chunks)
        #expect(scratch.names.count == 1)
        #expect(scratch.names[0].hasPrefix(".photo.jpg.") && scratch.names[0].hasSuffix(".partial"))
        let path = try await file.finish().path
        #expect(path == scratch / "photo.jpg")
        #expect(scratch.names == ["photo.jpg"])
        #expect(try scratch.read("photo.jpg") == content)
        #expect(try scratch.mode("photo.jpg") == scratch.usualMode())
    }

    @Test("Nothing is overwritten: a number is added before the extension")
    func collisions() async throws {
        let scratch = try Scratch()
        _ = try scratch.write("photo.jpg", "mine")
        for (index, expected) in ["photo (2).jpg", "photo (3).jpg"].enumerated() {
            let file = try await received("photo.jpg", in: scratch, length: 1, chunks: [[UInt8(index)]])
            #expect(try await file.finish().path == scratch / expected)
        }
        #expect(try scratch.read("photo.jpg") == Array("mine".utf8))
        // Dangling links and directories are in the way as well.
        try FileManager.default.createSymbolicLink(atPath: scratch / "link", withDestinationPath: "/nonexistent/x")
        try FileManager.default.createDirectory(atPath: scratch / ".hidden", withIntermediateDirectories: false)
        let linked = try await received("link", in: scratch, length: 0, chunks: [])
        #expect(try await linked.finish().path == scratch / "link (2)")
        let hidden = try await received(".hidden", in: scratch, length: 0, chunks: [])
        #expect(try await hidden.finish().path == scratch / ".hidden (2)")
    }

    @Test("Many finish under one name at once: each gets its own")
    func race() async throws {
        let scratch = try Scratch()
        let paths = try await withThrowingTaskGroup(of: String.self) { group in
            for number in 0..<16 {
                group.addTask {
                    let file = try await received("a.txt", in: scratch, length: 1, chunks: [[UInt8(number)]])
                    return try await file.finish().path
                }
            }
            return try await group.reduce(into: Set<String>()) { $0.insert($1) }
        }
        #expect(paths.count == 16)
        let contents = try scratch.names.map { try scratch.read($0) }
        #expect(Set(contents).count == 16)
    }

    @Test("The longest name still gets a number")
    func longName() async throws {
        let scratch = try Scratch()
        let name = String(repeating: "é", count: 125) + ".jpeg"
        #expect(name.utf8.count == 255)
        for expected in [name, String(repeating: "é", count: 123) + " (2).jpeg"] {
            let file = try await received(name, in: scratch, length: 0, chunks: [])
            #expect(try await file.finish().path == scratch / expected)
        }
    }

    @Test("Too few bytes, too many, discarding, and release leave nothing behind")
    func unfinished() async throws {
        let scratch = try Scratch()
        let short = try await received("a", in: scratch, length: 5, chunks: [[1, 2]])
        #expect(await asyncStorageError { _ = try await short.finish() }?.reason == .truncated)
        #expect(scratch.names.isEmpty)
        #expect(await asyncStorageError { try await short.write([1]) }?.reason == .cancelled)
        #expect(await asyncStorageError { _ = try await short.finish() }?.reason == .cancelled)

        let long = try await received("a", in: scratch, length: 2, chunks: [[1, 2]])
        #expect(await asyncStorageError { try await long.write([3]) }?.reason == .tooLarge(limit: 2))
        #expect(scratch.names.isEmpty)

        let discarded = try await received("a", in: scratch, length: 2, chunks: [[1]])
        await discarded.discard()
        await discarded.discard()
        #expect(scratch.names.isEmpty)

        do {
            let gone = try await received("a", in: scratch, length: 2, chunks: [[1]])
            #expect(scratch.names.count == 1)
            withExtendedLifetime(gone) {}
        }
        #expect(scratch.names.isEmpty)

        let finished = try await received("a", in: scratch, length: 1, chunks: [[1]])
        _ = try await finished.finish()
        await finished.discard()
        #expect(await asyncStorageError { _ = try await finished.finish() }?.reason == .cancelled)
        #expect(scratch.names == ["a"])
    }

    @Test(
        "A name that is not plain is refused",
        arguments: ["", ".", "..", "a/b", "/etc/passwd", "../up", "nul\u{0}byte", String(repeating: "x", count: 256)])
    func names(name: String) async throws {
        let scratch = try Scratch()
        let error = await asyncStorageError {
            _ = try await ReceivedFile.begin(named: name, in: scratch.path, expectedLength: 1)
        }
        #expect(error?.reason == .unsafeName)
        #expect(scratch.names.isEmpty)
    }

    @Test("A directory that is missing, is a file, or takes no files is a typed error")
    func directories() async throws {
        let scratch = try Scratch()
        func reason(_ directory: String) async -> StorageError.Reason? {
            await asyncStorageError {
                _ = try await ReceivedFile.begin(named: "a", in: directory, expectedLength: 1)
            }?.reason
        }
        #expect(await reason(scratch / "missing") == .notFound)
        _ = try scratch.write("file", "x")
        #expect(await reason(scratch / "file") == .system(errno: ENOTDIR))
        // Nobody, not even root, makes files here.
        let refused = try #require(await reason("/sys"))
        #expect([.permissionDenied, .readOnlyFileSystem].contains(refused))
    }
}

@Suite("Outgoing files, SPEC §15")
struct OutgoingFileTests {
    @Test("Chunks join to form the file, at every chunk size")
    func chunks() async throws {
        let scratch = try Scratch()
        let content = (0..<1000).map { UInt8(truncatingIfNeeded: $0) }
        let path = try scratch.write("data.bin", content)
        let file = try await OutgoingFile.open(path)
        #expect(file.length == 1000)
        #expect(file.name == "data.bin")
        for size in [1, 7, 999, 1000, 1001, Int.max] {
            var read: [UInt8] = []
            while true {
                let chunk = try await file.read(at: UInt64(read.count), count: size)
                guard !chunk.isEmpty else { break }
                read += chunk
            }
            #expect(read == content)
        }
        #expect(try await file.read(at: 1000, count: 10) == [])
        #expect(try await file.read(at: UInt64.max, count: 10) == [])
        #expect(try await file.read(at: 0, count: -1) == [])
    }

    @Test("An empty file and the target of a link are files")
    func special() async throws {
        let scratch = try Scratch()
        let empty = try await OutgoingFile.open(scratch.write("empty", ""))
        #expect(empty.length == 0)
        #expect(try await empty.read(at: 0, count: 10) == [])
        _ = try scratch.write("real", "abc")
        try FileManager.default.createSymbolicLink(atPath: scratch / "link", withDestinationPath: scratch / "real")
        let linked = try await OutgoingFile.open(scratch / "link")
        #expect(try await linked.read(at: 0, count: 10) == Array("abc".utf8))
    }

    @Test("A file that changes while it is read is detected")
    func changes() async throws {
        let scratch = try Scratch()
        for change in ["grow", "shrink", "rewrite"] {
            let path = try scratch.write("data", [UInt8](repeating: 1, count: 100))
            // The clock of mtime has a coarse tick; a date in the past shows every rewrite.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000)], ofItemAtPath: path)
            let file = try await OutgoingFile.open(path)
            #expect(try await file.read(at: 0, count: 50).count == 50)
            let handle = try #require(FileHandle(forWritingAtPath: path))
            switch change {
            case "grow":
                try handle.seekToEnd()
                try handle.write(contentsOf: [2])
            case "shrink": try handle.truncate(atOffset: 10)
            default: try handle.write(contentsOf: [UInt8](repeating: 2, count: 100))
            }
            try handle.close()
            let error = await asyncStorageError { _ = try await file.read(at: 50, count: 50) }
            #expect(error == StorageError(.read, path, .changedWhileReading))
        }
    }

    @Test("A file that is not regular is refused")
    func kinds() async throws {
        let scratch = try Scratch()
        func reason(_ path: String) async -> StorageError.Reason? {
            await asyncStorageError { _ = try await OutgoingFile.open(path) }?.reason
        }
        #expect(await reason(scratch / "missing") == .notFound)
        #expect(await reason("/dev/zero") == .notRegularFile)
        #expect(mkfifo(scratch / "pipe", 0o600) == 0)
        #expect(await reason(scratch / "pipe") == .notRegularFile)
        #expect(await reason("") == .unsafeName)
    }
}
