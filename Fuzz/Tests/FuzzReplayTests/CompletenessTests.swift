import Foundation
import FuzzSupport
import FuzzTargets
import Testing

@Suite("Every target has all its parts")
struct CompletenessTests {
    private var names: Set<String> { Set(FuzzTarget.all.map(\.name)) }

    private func entries(_ folder: String) throws -> Set<String> {
        let path = ReplayTests.root + "/" + folder
        guard FileManager.default.fileExists(atPath: path) else { return [] }
        return Set(try FileManager.default.contentsOfDirectory(atPath: path).filter { !$0.hasPrefix(".") })
    }

    @Test("A program for each target, and a target for each program")
    func programs() throws {
        #expect(try entries("Sources/Programs") == names.union(["Canary"]))
        let manifest = try String(contentsOfFile: ReplayTests.root + "/Package.swift", encoding: .utf8)
        for name in names { #expect(manifest.contains("\"\(name)\""), "\(name) in Package.swift") }
    }

    @Test("Corpora, regressions and dictionaries belong to targets")
    func files() throws {
        #expect(try entries("Corpus") == names)
        #expect(try entries("Regressions").subtracting(["README.md"]).isSubset(of: names))
        #expect(Set(try entries("Dictionaries").map { $0.replacing(".dict", with: "") }).isSubset(of: names))
    }

    @Test("The canary is found by what finds it, and by nothing else")
    func canary() throws {
        let song: [UInt8] = [0x4D, 0x50, 0x0B, 0xAD, 0xCA, 0xFE]
        #expect(throws: OracleFailure.self) { try FuzzEntry.run(.canary, song.span) }
        for length in 0..<song.count {
            #expect(throws: Never.self) { try FuzzEntry.run(.canary, Array(song.prefix(length)).span) }
        }
    }
}
