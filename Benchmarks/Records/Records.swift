import Benchmark

let benchmarks: @Sendable () -> Void = {
    Benchmark("x") { benchmark in }
}
