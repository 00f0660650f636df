import Multipeer
import Synchronization

/// The senders of `receive --once`. All are served until one of them offers something: the others are sent away then, and later ones have to
/// wait. So a stranger that connects and offers nothing is in nobody's way.
final class OneSender: Sendable {
    private struct State {
        var sessions: [Int: Multipeer.Session] = [:]
        var lastNumber = 0
        /// The peer that has offered something.
        var owner: Int?
    }

    private let state = Mutex(State())
    private let whenDone: @Sendable () -> Void

    /// - Parameter whenDone: Called when the one that has offered something is done.
    init(whenDone: @escaping @Sendable () -> Void) { self.whenDone = whenDone }

    /// A sender comes. Returns its number; nil if another one has offered something.
    func begin(_ session: Multipeer.Session) -> Int? {
        state.withLock { state in
            guard state.owner == nil else { return nil }
            state.lastNumber += 1
            state.sessions[state.lastNumber] = session
            return state.lastNumber
        }
    }

    /// A sender offers something. Returns false if another one was faster.
    func claim(_ number: Int) -> Bool {
        let others: [Multipeer.Session]? = state.withLock { state in
            if let owner = state.owner { return owner == number ? [] : nil }
            state.owner = number
            return state.sessions.filter { $0.key != number }.map(\.value)
        }
        guard let others else { return false }
        for session in others { Task { await session.leave() } }
        return true
    }

    /// A sender has left. If nothing has come of what it offered, others are served again.
    func end(_ number: Int, isDone: Bool) {
        let isOver = state.withLock { state in
            state.sessions[number] = nil
            guard state.owner == number else { return false }
            if !isDone { state.owner = nil }
            return isDone
        }
        if isOver { whenDone() }
    }
}
