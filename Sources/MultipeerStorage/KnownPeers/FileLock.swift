import Glibc

/// Keeps other processes away from a file while it is read and replaced.
///
/// The lock is on a file of its own, `PATH.lock`, because the file itself is exchanged by every write. It stays there,
/// empty: removing it would let two processes hold locks on two files of that name.
enum FileLock {
    /// How long to wait for another process before giving up, in tries of 10 ms.
    private static let tries = 500

    /// Waits its turn, at most 5 s, and runs `body` under the lock. Blocks.
    static func holding<Value>(
        _ path: String, _ body: () throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        let file = try OpenFile.open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        try waitForLock(on: file, path)
        // Closing the descriptor ends the lock, so it must stay open until here.
        defer { withExtendedLifetime(file) {} }
        return try body()
    }

    private static func waitForLock(on file: borrowing OpenFile, _ path: String) throws(StorageError) {
        for _ in 0..<tries {
            guard try !file.tryLock() else { return }
            usleep(10_000)
        }
        throw StorageError(.lock, path, .busy)
    }
}
