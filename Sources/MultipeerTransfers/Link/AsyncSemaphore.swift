import Synchronization

/// Lets a number of tasks work at a time. The others wait in their order, each with a ticket of its own.
final class AsyncSemaphore<Ticket: Hashable & Sendable>: Sendable {
    private struct State {
        var free: Int
        var waiting: [(ticket: Ticket, continuation: CheckedContinuation<Bool, Never>)] = []
    }

    private let state: Mutex<State>

    init(_ count: Int) {
        state = Mutex(State(free: max(1, count)))
    }

    /// Waits for a place. False if the task is cancelled, the ticket is withdrawn, or there is no need to wait any more.
    /// - Parameters:
    ///   - ticket: The ticket of the place.
    ///   - isPointless: Asked before a place is given at once, and before the task waits.
    func take(_ ticket: Ticket, unless isPointless: @escaping @Sendable () -> Bool = { false }) async -> Bool {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let answer: Bool? = state.withLock { state in
                    guard !Task.isCancelled, !isPointless() else { return false }
                    guard state.free == 0 else {
                        state.free -= 1
                        return true
                    }
                    state.waiting.append((ticket, continuation))
                    return nil
                }
                if let answer { continuation.resume(returning: answer) }
            }
        } onCancel: {
            withdraw(ticket)
        }
    }

    /// Gives a place back.
    func give() {
        let next: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.free += 1
                return nil
            }
            return state.waiting.removeFirst().continuation
        }
        next?.resume(returning: true)
    }

    /// Ends the wait for one place.
    func withdraw(_ ticket: Ticket) {
        let waiter: CheckedContinuation<Bool, Never>? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiting.remove(at: index).continuation
        }
        waiter?.resume(returning: false)
    }

    /// Ends all waits.
    func withdrawAll() {
        let waiters = state.withLock { state in
            defer { state.waiting = [] }
            return state.waiting
        }
        for waiter in waiters { waiter.continuation.resume(returning: false) }
    }
}
