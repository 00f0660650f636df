import Synchronization

/// Runs asynchronous code on the thread that asks for it, to its end: a fuzzer's input is one call, on one thread.
public final class InlineExecutor: TaskExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    /// Has nothing to do yet.
    public init() {}

    public func enqueue(_ job: consuming ExecutorJob) {
        let unowned = UnownedJob(job)
        jobs.withLock { $0.append(unowned) }
    }

    /// The value of code that waits for nothing but itself. Traps where it waits for something else.
    public static func value<Value: Sendable>(of body: @escaping @Sendable () async -> Value) -> Value {
        let (executor, result) = (InlineExecutor(), Result<Value>())
        Task(executorPreference: executor) {
            let value = await body()
            result.value.withLock { $0 = value }
        }
        executor.runAll()
        guard let value = result.value.withLock({ $0 }) else { fatalError("code that waits for another thread") }
        return value
    }

    private func runAll() {
        while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            // SAFETY: each job was enqueued once and is run once, and this executor outlives the loop.
            unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        }
    }

    private final class Result<Value: Sendable>: Sendable {
        let value = Mutex<Value?>(nil)
    }
}
