import CReference
import Glibc
import Workloads

/// Everything that DESIGN gives a budget for, in one run, as ratios. `--smoke`: each once, without meaning.
@main
enum SideBySide {
    static func main() throws {
        let isSmoke = CommandLine.arguments.contains("--smoke")
        let effort: Effort = isSmoke ? .smoke : .full
        let peers = try Peers(now: Int64(time(nil)))
        if let index = CommandLine.arguments.firstIndex(of: "--repeat") {
            return try Repetition(peers: peers).run(Array(CommandLine.arguments[(index + 1)...]))
        }
        let report = Report()

        var budgets = try RecordsSection(peers: peers, effort: effort).run(report)
        try MessagesSection(peers: peers, effort: effort).run(report)
        budgets += try HandshakesSection(peers: peers, effort: effort).run(report)
        budgets += try FramesSection(peers: peers, effort: effort).run(report)
        try AllocationsSection(peers: peers).run(report)
        budgets += try MemorySection(peers: peers, links: isSmoke ? 20 : 2_000).run(report)

        report.title("Budgets")
        report.table(["what", "budget", "found", "kept"], budgets.map(\.row))
    }
}
