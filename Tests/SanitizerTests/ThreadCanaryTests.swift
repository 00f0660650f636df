#if MULTIPEER_SANITIZER_THREAD
    import Foundation
    import Synchronization
    import Testing

    @Suite("ThreadSanitizer sees planted races, and no others")
    struct ThreadCanaryTests {
        @Test("Two threads count in one place")
        func dataRace() async {
            let result = await #expect(processExitsWith: Canary.status, observing: [\.standardErrorContent]) {
                Canary.reportHere()
                let counter = Counter()
                onThreads { counter.unguarded += 1 }
            }
            #expect(Canary.reported(result, "WARNING: ThreadSanitizer", "race"))
        }

        @Test("An array that one thread fills while another reads it")
        func arrayRace() async {
            let result = await #expect(processExitsWith: Canary.status, observing: [\.standardErrorContent]) {
                Canary.reportHere()
                let counter = Counter()
                onThreads { counter.bytes.append(UInt8(truncatingIfNeeded: counter.bytes.count)) }
                exit(0)
            }
            #expect(Canary.reported(result, "WARNING: ThreadSanitizer", "race"))
        }

        /// `Scripts/sanitizers/mutex.c` teaches the sanitizer this; without it the test fails.
        @Test("A contended mutex guards its contents")
        func mutex() async {
            let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
                Canary.reportHere()
                let counter = Counter()
                onThreads { counter.guarded.withLock { $0 += 1 } }
                guard counter.guarded.withLock({ $0 }) == 4 * 20_000 else { exit(1) }
            }
            #expect(result?.standardErrorContent.isEmpty == true)
        }
    }

    private final class Counter: @unchecked Sendable {
        var unguarded = 0
        var bytes: [UInt8] = []
        let guarded = Mutex(0)
    }

    /// Runs a body often, on four threads at once.
    private func onThreads(_ body: @escaping @Sendable () -> Void) {
        let done = DispatchSemaphore(value: 0)
        for _ in 0..<4 {
            Thread.detachNewThread {
                for _ in 0..<20_000 { body() }
                done.signal()
            }
        }
        for _ in 0..<4 { done.wait() }
    }
#endif
