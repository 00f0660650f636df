import MultipeerTestSupport
import MultipeerVectors
import Testing

@Suite("Differential fuzzing of links, issue 4")
struct DifferentialScriptTests {
    private func run(
        count: Int = 250, _ bend: (BentSubject) -> Void = { _ in }
    ) throws -> DifferentialReport {
        let other = try BentSubject()
        bend(other)
        let names = ["session/messages.json", "session/closing.json", "session/invitation.json"]
        let seeds = try VectorSet(names.map { ($0, try Repository.file($0)) })
        return try DifferentialFuzzer(SwiftSubject(), and: other, seeds: seeds).run(
            DifferentialSettings(seed: 3, groups: [.linkScript], limit: .count(count)))
    }

    @Test("An implementation agrees with itself, whatever the script")
    func agrees() throws {
        let report = try run()
        #expect(report.isGood && report.total.compared > 240, "\(report.text)")
    }

    @Test("An event that one peer reports differently is found, and the script is minimised")
    func event() throws {
        let report = try run { other in
            other.bendsPoll = { poll in
                var bent = poll
                bent.events = poll.events.map { $0["event"] == "opened" ? ["event": "opened", "outcome": 7] : $0 }
                return bent
            }
        }
        let finding = try #require(report.findings.first { $0.kind == "another events" }, "\(report.text)")
        // A hello, proof and name, the invitation, its answer, certificates, the verdict and READY: nothing can be left out.
        let steps = try #require(finding.steps)
        #expect((5...9).contains(steps.count), "\(report.text)")
        #expect(!finding.records.isEmpty && finding.records.contains { $0.contains("READY") })
        #expect(finding.own["events"] != finding.other["events"])
    }

    @Test("A deadline that is a millisecond off, and unsent bytes, are found")
    func deadlineAndSends() throws {
        let late = try run(count: 20) { other in
            other.bendsPoll = { LinkPoll(sends: $0.sends, events: $0.events, deadline: $0.deadline.map { $0 + 1 }) }
        }
        #expect(late.findings.map(\.kind) == ["another deadline"] && late.total.agreed == 0)
        let silent = try run(count: 20) { other in
            other.bendsPoll = { LinkPoll(sends: [], events: $0.events, deadline: $0.deadline) }
        }
        #expect(silent.findings.contains { $0.kind == "another sends" })
    }

    @Test("Another end is found even if the peer's CLOSE never comes")
    func end() throws {
        let report = try run(count: 60) { other in
            other.bendsPoll = { poll in
                var bent = poll
                bent.events = poll.events.map {
                    $0["end"] == "truncated" ? ["event": "closed", "end": "finished"] : $0
                }
                return bent
            }
        }
        #expect(report.findings.contains { $0.kind == "ends truncated and finished" }, "\(report.text)")
    }
}
