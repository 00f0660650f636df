import Dispatch

/// Runs file operations on threads that may block, and not on the threads that run tasks.
enum BlockingWork {
    private static let queue = DispatchQueue(label: "MultipeerStorage", attributes: .concurrent)

    /// - Throws: What `body` throws, or ``StorageError/Reason/cancelled`` if the task was cancelled before it began.
    static func run<Value: Sendable>(
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
    static func start(_ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }
}
