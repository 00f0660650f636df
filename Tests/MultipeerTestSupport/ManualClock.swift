import MultipeerClock
import Synchronization

/// A clock that does not advance until a test advances it.
package final class ManualClock: SteadyClock {
    private struct Sleeper {
        let until: ContinuousClock.Instant
        let wake: CheckedContinuation<Void, any Error>
    }
    private struct State {
        var now = ContinuousClock.now
        var sleepers: [Int: Sleeper] = [:]
        var next = 0
        /// A task can be cancelled before its continuation is stored.
        var cancelled: Set<Int> = []
    }
    private let state = Mutex(State())

    package init() {}

    package var now: ContinuousClock.Instant { state.withLock(\.now) }
    package var minimumResolution: Duration { .nanoseconds(1) }

    /// How many tasks sleep now. A test waits for the one that it means to wake before it advances the clock.
    package var sleepers: Int { state.withLock { $0.sleepers.count } }

    /// Whether a task sleeps for exactly this time from now: time does not advance, so deadlines are exact.
    package func isAwaited(in duration: Duration) -> Bool {
        state.withLock { state in state.sleepers.values.contains { $0.until == state.now.advanced(by: duration) } }
    }

    package func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws {
        let number = state.withLock { state in
            state.next += 1
            return state.next
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { wake in
                let result: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = Sleeper(until: deadline, wake: wake)
                    return nil
                }
                if let result { wake.resume(with: result) }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let sleeper = state.sleepers.removeValue(forKey: number)
                if sleeper == nil { state.cancelled.insert(number) }
                return sleeper
            }
            sleeper?.wake.resume(throwing: CancellationError())
        }
        state.withLock { _ = $0.cancelled.remove(number) }
    }

    /// Advances the clock, and wakes all sleepers whose time has come, the earliest first.
    package func advance(by duration: Duration) {
        let woken = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.until <= state.now }.sorted { $0.value.until < $1.value.until }
            for (number, _) in due { state.sleepers[number] = nil }
            return due.map(\.value.wake)
        }
        for wake in woken { wake.resume() }
    }
}
