import Benchmark
import Measuring
import MultipeerWire
import Workloads

/// Whole handshakes, for comparing two states of the code: `swift package benchmark --target Handshakes`.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .measured(.one)
    for suite in Suite.allCases {
        for proof in ProofOfPeer.allCases {
            Benchmark("\(suite): both sides to an open link, \(proof)") { benchmark in
                let peers = try sharedPeers.get()
                let paths = try peers.pathValidator()
                try benchmark.measure {
                    for _ in benchmark.scaledIterations {
                        var pair = try LinkedPair(peers, suite: suite, proof: proof, paths: paths)
                        try pair.open()
                    }
                }
            }
        }
    }
}
