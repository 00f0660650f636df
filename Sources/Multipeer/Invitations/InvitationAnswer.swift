import MultipeerCore
import MultipeerDriver
import MultipeerWire
import Synchronization

/// The local peer becomes connected with a peer in a session of the app.
struct Acceptance: Sendable {
    let session: SessionCore
    /// What the app waits for, if it does.
    var attempt: LinkAttempt?
}

/// The answer to an invitation, which is given once. It outlives the invitation, which the app may drop.
final class InvitationAnswer: Sendable {
    enum Value: Sendable {
        case accepted(Acceptance)
        case declined(DeclineReason)
    }

    private struct State {
        var isOver = false
        /// What the app waits for.
        var attempt: LinkAttempt?
    }

    private let queue = AsyncQueue<Value>(watermarks: .unbounded)
    private let state = Mutex(State())
    /// Whether the peer has withdrawn, once it is over.
    private let end = AsyncQueue<Bool>(watermarks: .unbounded)

    /// Returns false if it was given before, or nobody waits for it any more.
    @discardableResult
    func give(_ value: Value) -> Bool {
        let isFirst = state.withLock { state in
            guard !state.isOver else { return false }
            state = State(isOver: true)
            if case .accepted(let acceptance) = value { state.attempt = acceptance.attempt }
            return true
        }
        guard isFirst else { return false }
        queue.push(value, cost: 0)
        finish(isWithdrawn: false)
        return true
    }

    /// Returns the answer; nil if the task is cancelled, because the peer waits no longer.
    func wait() async -> Value? {
        let value = await queue.next()
        let (attempt, isLate) = state.withLock { state in
            defer { state.isOver = true }
            return (state.attempt, !state.isOver)
        }
        // The answer may have come when nobody waited for it any more.
        if value == nil { attempt?.resolve(.failure(.connection(.closed))) }
        if isLate { finish(isWithdrawn: true) }
        return value
    }

    private func finish(isWithdrawn: Bool) {
        end.push(isWithdrawn, cost: 0)
        end.finish()
    }

    func waitForWithdrawal() async -> Bool { await end.next() ?? false }
}
