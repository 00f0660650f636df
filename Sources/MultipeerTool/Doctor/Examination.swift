import MultipeerClock

/// Runs checks: all at a time, each within its limit, and reported in their order.
enum Examination {
    /// - Parameters:
    ///   - clock: Times the limits.
    ///   - tell: Is called for each result, in the order of `checks`.
    static func run(
        _ checks: [any Check], clock: any SteadyClock = ContinuousClock(), _ tell: (CheckResult) -> Void
    ) async {
        await withTaskGroup(of: (Int, CheckResult).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask { (index, await result(of: check, clock)) }
            }
            var waiting: [Int: CheckResult] = [:]
            var next = 0
            for await (index, result) in group {
                waiting[index] = result
                while let result = waiting.removeValue(forKey: next) {
                    tell(result)
                    next += 1
                }
            }
        }
    }

    /// What comes first: the result, or the end of the time. A call that blocks for longer is left alone, and ends with the process.
    static func result(of check: any Check, _ clock: any SteadyClock) async -> CheckResult {
        let (results, result) = AsyncStream.makeStream(of: CheckResult.self)
        let work = Task { result.yield(await check.run()) }
        let timer = Task {
            guard (try? await clock.sleep(for: check.limit)) != nil else { return }
            result.yield(late(check))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        for await first in results { return first }
        return late(check)
    }

    private static func late(_ check: any Check) -> CheckResult {
        CheckResult(
            check.name, "no result within \(check.limit.components.seconds) s",
            [
                .warning(
                    "the check did not end in time", why: "Something that it asked does not answer.",
                    remedy: "Run it alone, when the host is less busy: multipeer doctor --only \(check.name.rawValue).")
            ])
    }
}
