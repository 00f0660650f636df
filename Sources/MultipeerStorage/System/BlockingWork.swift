import NIOPosix

/// Runs file operations on threads that may block, and not on the threads that run tasks.
enum BlockingWork {
    /// - Throws: What `body` throws, or ``StorageError/Reason/cancelled`` if it never began.
    static func run<Value: Sendable>(
        _ phase: StorageError.Phase, _ path: String,
        _ body: @escaping @Sendable () throws(StorageError) -> Value
    ) async throws(StorageError) -> Value {
        do {
            return try await NIOThreadPool.singleton.runIfActive { try body() }
        } catch let error as StorageError {
            throw error
        } catch {
            throw StorageError(phase, path, .cancelled)
        }
    }

    /// Starts `body` on such a thread, and returns at once.
    static func start(_ body: @escaping @Sendable () -> Void) {
        NIOThreadPool.singleton.submit { _ in body() }
    }
}
