import Benchmark
import CAllocations
import Glibc
import Workloads

/// Heap allocations of the measured part, counted by `CAllocations`.
public let heapAllocations = BenchmarkMetric.custom(
    "Heap allocations", polarity: .prefersSmaller, useScalingFactor: true)

/// One set of peers for all benchmarks: making keys is not what is measured.
public let sharedPeers = Result { try Peers(now: Int64(time(nil))) }

extension Benchmark.Configuration {
    /// Time, throughput and heap allocations. With `MULTIPEER_BENCHMARKS=smoke` in the environment one iteration each.
    public static func measured(_ scalingFactor: BenchmarkScalingFactor) -> Benchmark.Configuration {
        let isSmoke = getenv("MULTIPEER_BENCHMARKS").map { String(cString: $0) } == "smoke"
        return .init(
            metrics: [.wallClock, .throughput, heapAllocations], warmupIterations: isSmoke ? 0 : 1,
            scalingFactor: isSmoke ? .one : scalingFactor, maxDuration: .seconds(2),
            maxIterations: isSmoke ? 1 : 10_000)
    }
}

extension Benchmark {
    /// Measures `work` alone, and counts what it takes from the heap.
    public func measure(_ work: () throws -> Void) rethrows {
        startMeasurement()
        // Inside: starting and stopping allocate.
        let before = allocations_of_thread().count
        try work()
        let after = allocations_of_thread().count
        stopMeasurement()
        measurement(heapAllocations, Int(after - before))
    }
}
