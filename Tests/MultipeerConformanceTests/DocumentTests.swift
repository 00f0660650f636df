import Foundation
import MultipeerConformance
import MultipeerScriptedPeer
import MultipeerTestSupport
import Testing

/// docs/conformance.md lists cases and faults. With MULTIPEER_WRITE_DOCS set the lists are written anew.
@Suite("docs/conformance.md", .serialized)
struct DocumentTests {
    private static let path = Repository.root.appendingPathComponent("docs/conformance.md")

    @Test("The table of cases matches the cases that run")
    func cases() throws {
        try compare("cases", Self.caseTable)
    }

    @Test("The table of faults matches the faults that are tested")
    func faults() throws {
        try compare("faults", Self.faultTable)
    }

    @Test("Cited requirements exist in the specification, and those without a case are listed")
    func requirements() throws {
        let all = try Specification.requirements()
        let cited = Set(ConformanceCases.all.flatMap(\.requirements))
        #expect(cited.subtracting(all).isEmpty)
        let missing = all.filter { !cited.contains($0) }
        try compare("uncovered", missing.joined(separator: ", "))
    }

    private static var caseTable: String {
        let rows = ConformanceCases.all.map { item in
            let tester = item.tester?.rawValue ?? "either"
            let peer =
                item.isForExpecting
                ? "expects another"
                : item.isForResuming
                    ? "continues associations"
                    : item.isForOffering ? "offers a file" : verifier(item) ?? item.invitations?.rawValue ?? "either"
            return
                "| `\(item.id)` | \(item.title) | \(item.requirements.joined(separator: ", ")) | \(item.level.rawValue) | "
                + "\(tester) | \(peer) |"
        }
        return (["| case | what | requirements | level | tester | peer |", "|---|---|---|---|---|---|"] + rows)
            .joined(separator: "\n")
    }

    private static func verifier(_ item: ConformanceCase) -> String? {
        switch item.verification {
        case .nothing: nil
        case .shows: "shows a code"
        case .types: "types a code"
        case .compares: "compares strings"
        }
    }

    private static var faultTable: String {
        let rows = Detection.all.map { "| `\($0.fault.rawValue)` | `\($0.caseID)` | \($0.tester.rawValue) |" }
        return (["| fault | caught by | tester |", "|---|---|---|"] + rows).joined(separator: "\n")
    }

    private func compare(_ name: String, _ wanted: String) throws {
        let (begin, end) = ("<!-- \(name) begin -->\n", "\n<!-- \(name) end -->")
        var text = try String(contentsOf: Self.path, encoding: .utf8)
        let start = try #require(text.range(of: begin)).upperBound
        let stop = try #require(text.range(of: end)).lowerBound
        if ProcessInfo.processInfo.environment["MULTIPEER_WRITE_DOCS"] != nil {
            text.replaceSubrange(start..<stop, with: wanted)
            try text.write(to: Self.path, atomically: true, encoding: .utf8)
        } else {
            #expect(
                text[start..<stop] == wanted, "rewrite it: MULTIPEER_WRITE_DOCS=1 swift test --filter DocumentTests")
        }
    }
}
