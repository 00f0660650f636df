import NIOPosix

/// Runs file operations on threads that may block, away from the ones that run tasks.
enum BlockingWork {
    /// - Throws: what `body` throws; ``StorageError/Reason/cancelled`` when it never began.
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

    /// Runs `body` some time soon, and waits for nothing.
    static func start(_ body: @escaping @Sendable () -> Void) {
        NIOThreadPool.singleton.submit { _ in body() }
    }
}
