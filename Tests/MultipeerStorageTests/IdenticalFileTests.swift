import Glibc
import MultipeerTestSupport
import Testing

@testable import MultipeerStorage

@Suite("Files that exist already, SPEC §15.5", .endsIfItHangs)
struct IdenticalFileTests {
    private let scratch: Scratch
    private let content = (0..<600_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

    init() throws { scratch = try Scratch() }

    private func receive(_ bytes: [UInt8], keeping: Bool = true) async throws -> FinishedFile {
        let file = try await ReceivedFile.begin(
            named: "a.bin", in: scratch.path, expectedLength: UInt64(bytes.count))
        try await file.write(bytes)
        return try await file.finish(keepingIdentical: keeping)
    }

    @Test("An identical file stays, and nothing of the received one is left")
    func kept() async throws {
        let first = try await receive(content)
        #expect(link(scratch / "a.bin", scratch / "same") == 0)
        let second = try await receive(content)
        #expect(!first.isKept && second.isKept && second.path == first.path && second.name == "a.bin")
        #expect(scratch.names == ["a.bin", "same"])
        // It is the old one: the other name shows it.
        let file = open(scratch / "a.bin", O_WRONLY | O_APPEND)
        #expect([7 as UInt8].withUnsafeBytes { Glibc.write(file, $0.baseAddress, 1) } == 1)
        close(file)
        #expect(try scratch.read("same") == content + [7])
    }

    @Test("An empty file is identical to an empty one")
    func empty() async throws {
        _ = try await receive([])
        #expect(try await receive([]).isKept)
        #expect(scratch.names == ["a.bin"])
    }

    @Test("Another byte, another length, or a receiver that opts out: both files are there", arguments: 0..<4)
    func different(kind: Int) async throws {
        try scratch.write("a.bin", content)
        var other = content
        switch kind {
        case 0: other[other.count - 1] ^= 1
        case 1: other[0] ^= 1
        case 2: other.removeLast()
        default: break
        }
        let stored = try await receive(other, keeping: kind != 3)
        #expect(!stored.isKept && stored.path.hasSuffix("/a (2).bin"))
        #expect(try scratch.read("a.bin") == content && scratch.read("a (2).bin") == other)
    }

    @Test("A link to the same file, and a special file, are not identical")
    func otherKinds() async throws {
        try scratch.write("elsewhere/a.bin", content)
        #expect(symlink(scratch / "elsewhere/a.bin", scratch / "a.bin") == 0)
        #expect(try await receive(content).path.hasSuffix("/a (2).bin"))
        #expect(unlink(scratch / "a.bin") == 0 && mkfifo(scratch / "a.bin", 0o600) == 0)
        #expect(try await receive(content).path.hasSuffix("/a (3).bin"))
    }
}
