import Foundation
import FuzzSupport
import FuzzTargets
import MultipeerVectors
import Testing

/// All known inputs, without the fuzzer: as slow and as thorough as any other test.
@Suite("Replay of corpora, regressions and seeds")
struct ReplayTests {
    /// `Fuzz/`, wherever it was cloned to.
    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    private static let vectors = Result { try VectorSet.read(path: root + "/../Vectors/v1") }

    /// The most inputs that a committed corpus may have. Scripts/fuzz-select chooses no more.
    private static let corpusLimit = 64

    @Test("Corpora", arguments: FuzzTarget.all.map(\.name))
    func corpus(_ name: String) throws {
        let count = try replay("Corpus", name)
        #expect(1...Self.corpusLimit ~= count, "Scripts/fuzz minimise \(name) writes a corpus that fits")
    }

    @Test("Regressions: each was a finding once", arguments: FuzzTarget.all.map(\.name))
    func regressions(_ name: String) throws {
        _ = try replay("Regressions", name)
    }

    @Test("Seeds from the vectors", arguments: FuzzTarget.all.map(\.name))
    func seeds(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let seeds = try target.seeds(try Self.vectors.get())
        #expect(!seeds.isEmpty)
        for (number, seed) in seeds.enumerated() {
            #expect(throws: Never.self, "seed \(number)") { try FuzzEntry.run(target, seed.span) }
        }
    }

    @Test("Nothing at all, and a single byte", arguments: FuzzTarget.all.map(\.name))
    func shortest(_ name: String) throws {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let inputs = [[]] + (UInt8.min...UInt8.max).map { [$0] }
        for input in inputs {
            #expect(throws: Never.self, "\(input)") { try FuzzEntry.run(target, input.span) }
        }
    }

    private func replay(_ folder: String, _ name: String) throws -> Int {
        let target = try #require(FuzzTarget.all.first { $0.name == name })
        let path = "\(Self.root)/\(folder)/\(name)"
        guard FileManager.default.fileExists(atPath: path) else { return 0 }
        let files = FuzzEntry.files(at: path)
        for file in files {
            let bytes = [UInt8](try #require(FileManager.default.contents(atPath: file)))
            #expect(throws: Never.self, "\(file)") { try FuzzEntry.run(target, bytes.span) }
        }
        return files.count
    }
}
