import CReference
import Glibc
import Workloads

/// Everything that has a budget, in one run, as ratios: Markdown to standard output.
///
///     SideBySide                           all sections
///     SideBySide --smoke                   each piece of work once or twice: proves that it runs, and says nothing about time;
///                                          of all sections, or of some
///     SideBySide --only records sockets    some sections
///     SideBySide --repeat message aes 64 100000    one piece of work over and over, for a profiler
@main
enum SideBySide {
    static func main() throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        let peers = try Peers(now: Int64(time(nil)))
        switch arguments.first {
        case "--repeat": try Repetition(peers: peers).run(Array(arguments.dropFirst()))
        case "--only": try measure(peers, .full, links: 2_000, Array(arguments.dropFirst()))
        case "--smoke":
            let chosen = Array(arguments.dropFirst())
            try measure(peers, .smoke, links: 20, chosen.isEmpty ? Self.sections : chosen)
        case nil: try measure(peers, .full, links: 2_000, Self.sections)
        case .some(let unknown):
            print("unknown: \(unknown)")
            exit(64)
        }
    }

    private static let sections = [
        "records", "messages", "sockets", "files", "handshakes", "frames", "allocations", "memory",
        "sessions", "delays",
    ]

    private static func measure(_ peers: Peers, _ effort: Effort, links: Int, _ chosen: [String]) throws {
        let report = Report()
        var budgets: [Budget] = []
        for section in chosen {
            switch section {
            case "records": budgets += try RecordsSection(peers: peers, effort: effort).run(report)
            case "messages": budgets += try MessagesSection(peers: peers, effort: effort).run(report)
            case "sockets": budgets += try SocketsSection(peers: peers, effort: effort).run(report)
            case "files": budgets += try FilesSection(effort: effort).run(report)
            case "handshakes": budgets += try HandshakesSection(peers: peers, effort: effort).run(report)
            case "frames": budgets += try FramesSection(effort: effort).run(report)
            case "allocations": try AllocationsSection(peers: peers).run(report)
            case "memory": budgets += try MemorySection(peers: peers, links: links).run(report)
            case "sessions": try SessionsSection(peers: peers, effort: effort).run(report)
            case "delays": try DelaysSection(effort: effort).run(report)
            default:
                print("no section \(section); there are \(sections.joined(separator: ", "))")
                exit(64)
            }
        }
        report.title("Budgets")
        report.table(["what", "budget", "found", "kept"], budgets.map(\.row))
    }
}
