#if NIO
    import NIOPosix
#else
    import Dispatch
#endif

/// Runs file operations on threads that may block, and not on the threads that run tasks.
package enum BlockingWork {
    #if !NIO
        /// One thread at a time: without a bound, work that waits for work would take every thread that tasks run on as well.
        private static let queue = DispatchQueue(label: "MultipeerStorage")
    #endif

    /// - Throws: What `body` throws, or ``StorageError/Reason/cancelled`` if the task was cancelled before it began.
    package static func run<Value: Sendable>(
        _ phase: StorageError.Phase, _ path: String,
        _ body: @escaping @Sendable () throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        guard !Task.isCancelled else { throw StorageError(phase, path, .cancelled) }
        let result = await withCheckedContinuation { continuation in
            start { continuation.resume(returning: Result(catching: body)) }
        }
        return try result.get()
    }

    /// Starts `body` on such a thread, and returns at once.
    static func start(_ body: @escaping @Sendable () -> Void) {
        #if NIO
            NIOThreadPool.singleton.submit { _ in body() }
        #else
            queue.async(execute: body)
        #endif
    }
}
