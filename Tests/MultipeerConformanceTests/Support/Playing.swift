import MultipeerConformance
import Testing

/// Enough for 65,535 records on a busy machine, under a sanitizer. A sound peer lets nobody wait for its end.
let ample: Duration = .seconds(120)

/// Plays cases at the same time, each on a connection of its own.
func play(
    _ cases: [ConformanceCase], profile: PeerProfile, codes: (any CodeSource)? = nil, patience: Duration = ample,
    width: Int = 4,
    source: @escaping @Sendable () throws -> any PeerSource
) async throws -> [CaseResult] {
    try await withThrowingTaskGroup(of: (Int, CaseResult).self) { group in
        var results = [CaseResult?](repeating: nil, count: cases.count)
        var next = 0
        func add() {
            guard next < cases.count else { return }
            let (index, conformanceCase) = (next, cases[next])
            next += 1
            group.addTask {
                let runner = ConformanceRunner(
                    source: try source(), cryptography: Tools.cryptography, profile: profile, codes: codes,
                    patience: patience)
                return (index, await runner.play(conformanceCase))
            }
        }
        for _ in 0..<width { add() }
        while let (index, result) = try await group.next() {
            results[index] = result
            add()
        }
        return results.compactMap { $0 }
    }
}

extension CaseResult {
    /// For people who read a test's output.
    var report: Comment {
        Comment(
            rawValue: "\(conformanceCase.id) \(verdict.rawValue): \(came)\n"
                + "expected: \(conformanceCase.expectation)\n"
                + trace.map { "  \($0.direction.rawValue) \($0.text)" }.joined(separator: "\n"))
    }
}
