import MultipeerCore
import Synchronization

/// Reports to all waiters how the link has ended.
final class LinkEndSignal: Sendable {
    private struct State {
        var end: LinkEnd?
        var isOver = false
        var lastNumber = 0
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// Whether nothing more happens on the link.
    var isOver: Bool { state.withLock(\.isOver) }

    /// The link has ended. The first end counts.
    func set(_ end: LinkEnd) {
        state.withLock { $0.end = $0.end ?? end }
        finish()
    }

    /// Nobody will tell the end any more.
    func finish() {
        let waiters = state.withLock { state in
            state.isOver = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for the end; nil if nobody reports it or the task is cancelled.
    func wait() async -> LinkEnd? {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { waiter in
                let mustWait = state.withLock { state in
                    guard !state.isOver, !Task.isCancelled else { return false }
                    state.waiters[number] = waiter
                    return true
                }
                if !mustWait { waiter.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiters.removeValue(forKey: number) }?.resume()
        }
        return state.withLock(\.end)
    }
}
