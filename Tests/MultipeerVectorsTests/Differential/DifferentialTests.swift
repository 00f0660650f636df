import Foundation
import MultipeerTestSupport
import MultipeerVectors
import Testing

@Suite("Differential fuzzing: planted differences are found and minimised, issue 4")
struct DifferentialTests {
    @Test("Equal implementations agree, and members that only a shim has are ignored")
    func agrees() throws {
        let report = try FuzzShim.run("nothing")
        #expect(report.isGood && report.total.compared == 400, "\(report.text)")
        #expect(report.summary == "400 compared, 400 agreed, 0 different, 0 skipped")
        #expect(report.text.hasSuffix("\n400 compared, 400 agreed, 0 different, 0 skipped\n"))
    }

    /// What each planted fault is found as, and how few bytes show it.
    @Test(
        "A shim that is wrong in one condition is found",
        arguments: [
            ("lenient", "reject wire/malformed and accept", 2...8),
            ("trailing", "reject wire/malformed and accept", 2...2),
            ("code", "reject wire/malformed and reject wire/unsupported", 1...1),
            ("value", "accept with another value", 4...4),
            ("bad", "reject wire/malformed and bad question", 1...1),
            ("crash", "reject wire/malformed and FAULT", 1...1),
        ] as [(String, String, ClosedRange<Int>)])
    func planted(fault: String, kind: String, length: ClosedRange<Int>) throws {
        let report = try FuzzShim.run(fault)
        let finding = try #require(report.findings.first { $0.kind == kind }, "\(report.text)")
        let bytes = try #require(finding.inputs?["bytes"]?.text)
        #expect(length.contains(bytes.utf8.count / 2), "\(bytes)")
        #expect(finding.count <= report.total.different && !report.isGood)
        #expect(report.text.contains("DIFFERENT Varint: \(kind) (\(finding.count) cases)"))
        #expect(report.text.contains("inputs: {\"bytes\": \"\(bytes)\"}"))
    }

    @Test("A shim that hangs is a finding for that input, and the run continues")
    func hangs() throws {
        let report = try FuzzShim.run("hang", count: 12, timeout: 5)
        #expect(report.findings.contains { $0.kind.hasSuffix("HANG") } && report.total.agreed > 0)
        #expect(report.total.compared == 12 && !report.wasGivenUp)
    }

    @Test("Inputs that a shim does not support are skipped; if it supports none, that is no success")
    func skips() throws {
        let report = try FuzzShim.run("lack")
        #expect(report.total.skipped > 0 && report.isGood)
        let nothing = try FuzzShim.run("nothing", groups: [.refusal])
        #expect(nothing.total.compared + nothing.total.skipped == 0 && !nothing.isGood)
    }

    @Test("A shim that does not start stops the run")
    func neverStarts() throws {
        let subject = ShimSubject(command: "false", timeout: 20)
        let seeds = try VectorSet([("varint.json", try Repository.file("framing/varint.json"))])
        let report = try DifferentialFuzzer(SwiftSubject(), and: subject, seeds: seeds).run(DifferentialSettings())
        #expect(report.wasGivenUp && !report.isGood && report.total.compared == 20)
    }

    @Test("The same seed gives the same cases, another gives others, and each number its own")
    func reproducible() throws {
        func asked(seed: UInt64, first: Int, count: Int) throws -> [String] {
            let other = try BentSubject()
            var lines: [String] = []
            other.bendsTest = { group, inputs, answer in
                lines.append(group.rawValue + JSONWriter.line(inputs))
                return answer
            }
            let fuzzer = try DifferentialFuzzer(SwiftSubject(), and: other, seeds: try Repository.vectors())
            let groups = Set(DifferentialSettings.allGroups).subtracting([.linkScript, .handshake])
            let settings = DifferentialSettings(seed: seed, first: first, groups: groups, limit: .count(count))
            #expect(fuzzer.run(settings).total.different == 0)
            return lines
        }
        let all = try asked(seed: 9, first: 0, count: 120)
        #expect(try asked(seed: 9, first: 0, count: 120) == all)
        #expect(Set(all).count > 100)
        #expect(try asked(seed: 10, first: 0, count: 120) != all)
        // Scripts are no lines.
        let last = try asked(seed: 9, first: 100, count: 20)
        #expect(!last.isEmpty && Array(all.suffix(last.count)) == last)
    }

    @Test("A finding says how to reproduce it, and is reproduced that way")
    func again() throws {
        let report = try FuzzShim.run("value", count: 2_000)
        let finding = try #require(report.findings.first)
        #expect(report.arguments(of: finding) == "--seed 5 --first \(finding.number) --count 1 --group Varint")
        let once = try FuzzShim.run("value", count: 1, first: finding.number)
        #expect(once.findings.first?.inputs == finding.inputs && once.total.different == 1)
        let json = try JSONParser.parse(Array(JSONWriter.file(report.json).utf8))
        #expect(json["findings"]?.elements?.first?["number"] == .integer(finding.number))
        #expect(json["different"] == .integer(report.total.different))
    }
}
