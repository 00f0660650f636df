import MultipeerCommandLine
import Synchronization

/// The wait for the remote person, from the first offer of several to the first answer.
final class AnswerWait: Sendable {
    private enum State {
        case before
        case waiting(WaitingLine)
        case over
    }

    private let name: String
    private let output: Output
    private let state = Mutex(State.before)

    /// - Parameter name: The name of the peer that answers, safe to print.
    init(for name: String, _ output: Output) {
        self.name = name
        self.output = output
    }

    deinit { end() }

    /// Something is offered.
    func begin() {
        state.withLock { state in
            guard case .before = state else { return }
            state = .waiting(WaitingLine(.answer(name), output))
        }
    }

    /// Something was answered, or is offered no more.
    func end() {
        state.withLock { state in
            if case .waiting(let line) = state { line.end() }
            state = .over
        }
    }
}
