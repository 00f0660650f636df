import Workloads

/// What a session of the API for apps costs beyond its links.
struct SessionsSection {
    let peers: Peers
    let effort: Effort

    func run(_ report: Report) throws {
        report.title("Sessions")
        try SessionThroughput(peers: peers, effort: effort).run(report)
        try MessageLatency(effort: effort).run(report)
        try RosterTraffic(peers: peers, effort: effort).run(report)
        try SessionMemory(peers: peers, effort: effort).run(report)
    }
}
