import Benchmark
import Measuring
import MultipeerWire
import Workloads

/// Records and messages, for comparing two states of the code: `swift package benchmark --target Records`.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .measured(.kilo)
    for suite in Suite.classical {
        for length in [64, 1_024, 16_384, 65_516] {
            Benchmark("\(suite): record of \(length) bytes, seal and open") { benchmark in
                var layer = try RecordLayer(try sharedPeers.get(), suite: suite, length: length)
                try layer.run(10)
                try benchmark.measure { try layer.run(benchmark.scaledIterations.count) }
            }
        }
        for length in [64, 65_536] {
            Benchmark("\(suite): message of \(length) bytes, link to link") { benchmark in
                var pair = try LinkedPair(try sharedPeers.get(), suite: suite, proof: .identityKeys, paths: nil)
                try pair.open()
                let message = [UInt8](repeating: 7, count: length)
                try pair.transfer(message)
                try benchmark.measure { for _ in benchmark.scaledIterations { try pair.transfer(message) } }
            }
        }
    }
}
