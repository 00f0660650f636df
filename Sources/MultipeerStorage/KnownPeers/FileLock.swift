import Dispatch
import Glibc
import MultipeerClock

/// A lock that keeps other processes away from a file while it is read and replaced.
///
/// The lock is on a file of its own, `PATH.lock`, because every write replaces the file itself. The lock file stays,
/// empty. If it were removed, two processes could hold locks on two different files of that name.
enum FileLock {
    /// The number of attempts while another process holds the lock, and the time between two of them.
    static let tries = 500
    static let pause: Duration = .milliseconds(10)

    /// Waits for the lock for at most 5 s, and runs `body` under it. The call blocks.
    static func holding<Value>(
        _ path: String, clock: any SteadyClock, _ body: () throws(StorageError) -> Value
    ) throws(StorageError) -> Value {
        let file = try OpenFile.open(path + ".lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, mode: 0o600)
        try waitForLock(on: file, path, clock)
        // Closing the descriptor releases the lock, so the descriptor must stay open until here.
        defer { withExtendedLifetime(file) {} }
        return try body()
    }

    private static func waitForLock(
        on file: borrowing OpenFile, _ path: String, _ clock: any SteadyClock
    ) throws(StorageError) {
        for _ in 0..<tries {
            guard try !file.tryLock() else { return }
            block(for: pause, clock)
        }
        throw StorageError(.lock, path, .busy)
    }

    /// Blocks this thread, which may block (``BlockingWork``). A task waits in its place, because clocks know no threads.
    private static func block(for duration: Duration, _ clock: any SteadyClock) {
        let isOver = DispatchSemaphore(value: 0)
        Task.detached {
            try? await clock.sleep(for: duration)
            isOver.signal()
        }
        isOver.wait()
    }
}
