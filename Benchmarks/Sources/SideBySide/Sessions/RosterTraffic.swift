import MultipeerWire
import Workloads

/// What each join costs all members together.
struct RosterTraffic {
    let peers: Peers
    let effort: Effort

    func run(_ report: Report) throws {
        report.paragraph(
            "What one join costs as a session grows by the invitations of one member: in a "
                + "simulated network in which everything takes \(RosterGrowth.latency) ms, all members are reached, and each is linked "
                + "with each. It is counted from the invitation until all have a link to the newcomer and the same "
                + "roster. *Frames* are those of ADMIT, ROSTER, DIGEST, SUMMARY and WANT that all members together send, without "
                + "what records add; *all* is every byte on every connection, the newcomer's handshakes included. There is no chance in it."
        )
        let growth = try RosterGrowth(peers)
        let sizes = effort.isSmoke ? [2, 4] : [2, 10, 30, 100]
        var joins: [RosterGrowth.Join] = []
        for size in 2...(sizes.last ?? 2) {
            let join = try growth.join()
            if sizes.contains(size) { joins.append(join) }
        }
        report.table(
            ["members with the newcomer"] + RosterGrowth.counted.map(\.name) + [
                "together", "for each member", "all", "time",
            ],
            joins.map(row))
    }

    private func row(_ join: RosterGrowth.Join) -> [String] {
        let traffic = RosterGrowth.counted.map { join.frames[$0] ?? RosterGrowth.Traffic() }
        let bytes = traffic.reduce(0) { $0 + $1.bytes }
        let frames = traffic.map { "\($0.count) × \($0.bytes / max($0.count, 1)) B" }
        let sums = [
            "\(bytes) B", "\(bytes / join.members) B", "\(join.wireBytes) B", "\(join.milliseconds) ms",
        ]
        return ["\(join.members)"] + frames + sums
    }
}
