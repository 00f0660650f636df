import CAllocations
import MultipeerWire
import Workloads

/// Frames a second on one core, and what they cost the heap.
struct FramesSection {
    let effort: Effort

    func run(_ report: Report) throws -> [Budget] {
        report.title("Frames")
        let decoding = FrameDecoding()
        var sum = 0
        let times = try compete(
            [Contestant(name: "frames") { sum &+= try decoding.run($0) }], effort)[0]
        let perFrame = Summary(times).median / Double(decoding.framesPerRecord)
        let records = 100
        let before = allocations_of_thread().count
        sum &+= try decoding.run(records)
        let allocations = allocations_of_thread().count - before
        let frames = records * decoding.framesPerRecord
        guard try Canary.isCounted(), sum != 0 else { throw WorkloadFailure.wrongResult }
        let rate = 1_000 / perFrame
        report.table(
            ["frames of 64 bytes", "", ""],
            [
                ["decoded a second", "\(rate.text(0)) million", "\(perFrame.nanosecondsText) each"],
                ["heap allocations", "\(allocations)", "in \(frames) frames"],
            ])
        return [
            Budget(
                what: "frames of 64 bytes decoded a second", asked: "≥ 20 million", found: "\(rate.text(0)) million",
                isKept: rate >= 20),
            Budget(
                what: "heap allocations for each of them", asked: "0", found: "\(allocations) in \(frames)",
                isKept: allocations == 0),
        ]
    }
}

/// Proves that the counter counts, in this very program.
enum Canary {
    static func isCounted() throws -> Bool {
        let before = allocations_of_thread()
        let array = [UInt8](repeating: 1, count: 1_000)
        let after = allocations_of_thread()
        return withExtendedLifetime(array) { after.count == before.count + 1 && after.bytes >= before.bytes + 1_000 }
    }
}

/// Heap allocations of everything else that was measured.
struct AllocationsSection {
    let peers: Peers

    func run(_ report: Report) throws {
        report.title("Heap allocations")
        var rows: [[String]] = []
        for suite in Suite.classical {
            var layer = try RecordLayer(peers, suite: suite, length: 16_384)
            try layer.run(1)
            rows.append(["record of 16 KiB, seal and open", suite.name, try count(100) { try layer.run(100) }])
            for length in [64, 65_536] {
                var pair = try LinkedPair(peers, suite: suite, proof: .identityKeys, paths: nil)
                try pair.open()
                let message = [UInt8](repeating: 7, count: length)
                for _ in 0..<100 { try pair.transfer(message) }
                let cell = try count(100) { for _ in 0..<100 { try pair.transfer(message) } }
                rows.append(["message of \(RecordsSection.name(length)), link to link", suite.name, cell])
            }
            let paths = try peers.pathValidator()
            let cell = try count(10) {
                for _ in 0..<10 {
                    var pair = try LinkedPair(peers, suite: suite, proof: .validatedPaths, paths: paths)
                    try pair.open()
                }
            }
            rows.append(["handshake with validated paths, both sides", suite.name, cell])
            let tls = try TLSReference(peers, suite: suite)
            rows.append(["TLS 1.3 handshake, both sides", suite.name, try count(10) { try tls.runHandshakes(10) }])
        }
        report.table(["work", "suite", "allocations each"], rows)
    }

    private func count(_ times: Int, _ work: () throws -> Void) throws -> String {
        let before = allocations_of_thread().count
        try work()
        return (Double(allocations_of_thread().count - before) / Double(times)).text(1)
    }
}
