import MultipeerWire
import Workloads

/// What links hold when nothing happens.
struct MemorySection {
    let peers: Peers
    /// How many are made to divide by.
    let links: Int

    func run(_ report: Report) throws -> [Budget] {
        report.title("Memory")
        var rows: [[String]] = []
        var idle = 0.0
        for suite in Suite.classical {
            let quiet = try HeldMemory.measure(peers) { try open(suite, burst: false) }
            let burst = try HeldMemory.measure(peers) { try open(suite, burst: true) }
            idle = max(idle, quiet.total, burst.total)
            rows.append(["open link, \(suite.name)"] + quiet.cells)
            rows.append(["open link after a message of 64 KiB each way, \(suite.name)"] + burst.cells)
        }
        var stranger = 0.0
        let strangers = Strangers(peers)
        for stage in StrangerStage.allCases {
            let held = try HeldMemory.measure(peers) { (0..<links).map { _ in strangers.link(stage) } }
            stranger = max(stranger, held.total)
            rows.append(["stranger: \(stage.rawValue)"] + held.cells)
        }
        report.paragraph(
            "Each, of \(links): heap by the interposed allocator, its own headers included, locked pages by the pool's books; resident memory of the "
                + "process as a check, which pages that were free before blur. A socket, and what a driver holds, "
                + "come on top.")
        report.table(["what", "heap + locked", "heap", "locked", "resident"], rows)
        return [
            Budget(
                what: "memory of an idle open link", asked: "≤ 16 KiB", found: (idle / 1_024).text(1) + " KiB",
                isKept: idle <= 16_384),
            Budget(
                what: "held for a stranger", asked: "≤ 8 KiB", found: (stranger / 1_024).text(1) + " KiB",
                isKept: stranger <= 8_192),
        ]
    }

    private func open(_ suite: Suite, burst: Bool) throws -> [KeptLink] {
        let message = [UInt8](repeating: 7, count: 65_536)
        var kept: [KeptLink] = []
        for _ in 0..<links / 2 {
            var pair = try LinkedPair(peers, suite: suite, proof: .validatedPaths, paths: try peers.pathValidator())
            try pair.open()
            if burst { try pair.exchange(message) }
            kept += pair.links()
        }
        return kept
    }
}
