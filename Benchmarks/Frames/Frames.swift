import Benchmark
import Measuring
import Workloads

/// Frame decoding, for comparing two states of the code: `swift package benchmark --target Frames`.
let benchmarks: @Sendable () -> Void = {
    Benchmark.defaultConfiguration = .measured(.one)
    for length in [16, 64, 1_024] {
        let decoding = FrameDecoding(frameLength: length)
        Benchmark("a record of \(decoding.framesPerRecord) frames of \(length) bytes") { benchmark in
            try benchmark.measure { for _ in benchmark.scaledIterations { blackHole(try decoding.run(1)) } }
        }
    }
}
