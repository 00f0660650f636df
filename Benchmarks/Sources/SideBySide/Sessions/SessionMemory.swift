import MultipeerWire
import Workloads

/// What members hold of each other when nothing happens.
struct SessionMemory {
    let peers: Peers
    let effort: Effort

    func run(_ report: Report) throws {
        let (nodes, pairs) = effort.isSmoke ? (20, 2) : (2_000, 100)
        report.paragraph(
            "What one side holds, on average of \(nodes) nodes and \(2 * pairs) sessions. *Node* is the core's, with nothing around it, "
                + "counted as in the section on memory. *Session* has its event loop's share, socket, driver and tasks; several "
                + "threads allocate for it, so the heap is what glibc's allocator says of the process.")
        var rows: [[String]] = []
        for suite in Suite.classical {
            let alone = try HeldMemory.measure(peers) { pairsOfNodes(nodes / 2, suite) }
            let linked = try HeldMemory.measure(peers) {
                let pairs = pairsOfNodes(nodes / 2, suite)
                for pair in pairs { try pair.connect() }
                return pairs
            }
            rows.append(["node without sessions, \(suite.name)"] + alone.halved.cells)
            rows.append(["node in a session with one member, \(suite.name)"] + linked.halved.cells)
        }
        rows += try sessions(pairs)
        report.table(["what", "heap + locked", "heap", "locked", "resident"], rows)
    }

    private func pairsOfNodes(_ count: Int, _ suite: Suite) -> [MemberPair] {
        (0..<count).map { _ in MemberPair(peers, suite: suite) }
    }

    private func sessions(_ pairs: Int) throws -> [[String]] {
        // What is made once for all peers of a process.
        let first = try IdleSessions(pairs: 1)
        try first.connect()
        let before = HeldMemory.ofProcess(peers)
        let sessions = try IdleSessions(pairs: pairs)
        let made = HeldMemory.ofProcess(peers)
        try sessions.connect()
        let connected = HeldMemory.ofProcess(peers)
        return withExtendedLifetime((first, sessions)) {
            let suite = peers.preferredSuite?.name ?? "?"
            return [
                ["peer with a session that listens"] + made.since(before, each: sessions.count).cells,
                ["its only member, \(suite)"] + connected.since(made, each: sessions.count).cells,
            ]
        }
    }
}

extension HeldMemory {
    /// Of one of two.
    fileprivate var halved: HeldMemory { HeldMemory(heap: heap / 2, locked: locked / 2, resident: resident / 2) }
}
