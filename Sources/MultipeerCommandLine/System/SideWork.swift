import Synchronization

/// Work beside the events of a link that runs to its own end, whatever becomes of the link: what has come whole is
/// stored whole (R16.1-5).
package final class SideWork: Sendable {
    private typealias Job = @Sendable () async -> Void

    private let jobs: AsyncStream<Job>.Continuation
    private let worker: Task<Void, Never>
    private let failure = Mutex<CommandFailure?>(nil)

    package init() {
        let (stream, jobs) = AsyncStream.makeStream(of: Job.self)
        self.jobs = jobs
        worker = Task {
            await withDiscardingTaskGroup { group in
                for await job in stream { group.addTask { await job() } }
            }
        }
    }

    /// Starts work that returns its failure.
    package func start(_ body: @escaping @Sendable () async -> CommandFailure?) {
        jobs.yield { [self] in
            guard let failure = await body() else { return }
            self.failure.withLock { $0 = $0 ?? failure }
        }
    }

    /// Waits for the end of all work, and returns the first failure.
    package func finish() async -> CommandFailure? {
        jobs.finish()
        await worker.value
        return failure.withLock { $0 }
    }
}
