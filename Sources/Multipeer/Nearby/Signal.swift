import MultipeerDriver
import Synchronization

/// Wakes the task that waits for something to look at. However often it is set before that one looks, it wakes once.
final class Signal: Sendable {
    /// There is at most one element.
    private let queue = AsyncQueue<Void>(watermarks: .unbounded)
    private let isSet = Mutex(false)

    /// There is something to look at. It is to be seen already.
    func set() {
        let isNew = isSet.withLock { isSet in
            defer { isSet = true }
            return !isSet
        }
        if isNew { queue.push((), cost: 0) }
    }

    /// Waits until there is something to look at. Returns false at the end, or if the task is cancelled.
    func wait() async -> Bool {
        guard await queue.next() != nil else { return false }
        isSet.withLock { $0 = false }
        return true
    }

    /// There will be nothing more.
    func finish() { queue.finish() }
}
