import MultipeerCertificates
import MultipeerTestSupport
import Testing

@testable import MultipeerStorage

@Suite("Order of writes to the disk, SPEC §15.3")
struct SynchronisationTests {
    /// The bytes first, under the name that nobody takes for the file; then the folder, which has the final name alone.
    private func expectBytesBeforeName(_ name: String, in scratch: Scratch, before: [String] = []) throws {
        let calls = SynchronisedFiles.calls(in: scratch.path)
        try #require(calls.count == 2)
        let hidden = try #require(calls[0].names.first { !before.contains($0) })
        #expect(hidden.hasPrefix(".\(name)."))
        #expect(calls[0].path == scratch / hidden)
        #expect(calls[0].names == ([hidden] + before).sorted())
        #expect(calls[1] == SynchronisedFiles.Call(path: scratch.path, names: [name]))
    }

    @Test("A received file has its bytes on the disk, and then its name, before it is reported as stored")
    func receivedFile() async throws {
        let scratch = try Scratch()
        let file = try await ReceivedFile.begin(named: "a.txt", in: scratch.path, expectedLength: 3)
        try await file.write([1, 2, 3])
        #expect(SynchronisedFiles.calls(in: scratch.path).isEmpty)
        _ = try await file.finish()
        try expectBytesBeforeName("a.txt", in: scratch)
    }

    @Test("A new internal file has its bytes on the disk, and then its name")
    func createdFile() throws {
        let scratch = try Scratch()
        try CertificateFiles.create([Certificate(der: [1])], at: scratch / "chain.pem")
        try expectBytesBeforeName("chain.pem", in: scratch)
    }

    @Test("A file that is replaced keeps its old content until the new one is on the disk")
    func replacedFile() throws {
        let scratch = try Scratch()
        _ = try scratch.write("known", "old")
        try AtomicFile.write([1].span, to: scratch / "known", .replacing)
        try expectBytesBeforeName("known", in: scratch, before: ["known"])
        #expect(try scratch.read("known") == [1])
    }
}
