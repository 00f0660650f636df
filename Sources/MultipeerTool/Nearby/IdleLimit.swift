import Synchronization

/// Does something once nothing has been under way for a while.
final class IdleLimit: Sendable {
    private struct State {
        var underWay = 0
        var isOver = false
        var clock: Task<Void, Never>?
    }

    private let patience: Duration
    private let expire: @Sendable () async -> Void
    private let state = Mutex(State())

    /// Begins to wait.
    init(_ patience: Duration, _ expire: @escaping @Sendable () async -> Void) {
        self.patience = patience
        self.expire = expire
        setClock()
    }

    /// Something is under way.
    func begin() {
        state.withLock { state in
            state.underWay += 1
            return state.clock.take()
        }?.cancel()
    }

    /// It has come to its end.
    func end() {
        let isIdle = state.withLock { state in
            state.underWay -= 1
            return state.underWay == 0 && !state.isOver
        }
        if isIdle { setClock() }
    }

    /// Nothing is waited for any more.
    func finish() {
        state.withLock { state in
            state.isOver = true
            return state.clock.take()
        }?.cancel()
    }

    private func setClock() {
        let clock = Task { [patience, expire] in
            guard (try? await Task.sleep(for: patience)) != nil else { return }
            await expire()
        }
        state.withLock { state in
            guard state.underWay == 0, !state.isOver else { return clock.cancel() }
            state.clock?.cancel()
            state.clock = clock
        }
    }
}
