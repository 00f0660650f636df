import MultipeerCertificates
import MultipeerCore
import Synchronization

/// Runs the app's validator in a task, and keeps its verdict until the driver takes it.
///
/// The link has the deadline. When it passes, the link ends, and the task with it. A later verdict has no effect.
final class PeerVerification: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var verdict: (LinkToken, Verdict)?
        var onWake: (@Sendable () -> Void)?
        var isOver = false
    }

    private let validator: any CertificateValidator
    private let state = Mutex(State())

    init(validator: any CertificateValidator) {
        self.validator = validator
    }

    deinit { cancel() }

    /// Sets the function that makes the driver take the verdict. It is called from any thread.
    func setWake(_ onWake: @escaping @Sendable () -> Void) {
        state.withLock { $0.onWake = onWake }
    }

    /// Starts the validator.
    func begin(_ token: LinkToken, _ evidence: PeerEvidence) {
        let task = Task { [validator, weak self] in
            let verdict = await validator.verify(evidence)
            self?.finish(token, verdict)
        }
        let isOver = state.withLock { state in
            state.task = task
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    private func finish(_ token: LinkToken, _ verdict: Verdict) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isOver else { return nil }
            state.verdict = (token, verdict)
            return state.onWake
        }
        wake?()
    }

    /// Returns the verdict, once.
    func takeVerdict() -> (LinkToken, Verdict)? {
        state.withLock { state in state.verdict.take() }
    }

    /// Cancels the validator, because the link is over.
    func cancel() {
        let task = state.withLock { state in
            state.isOver = true
            state.onWake = nil
            state.verdict = nil
            return state.task.take()
        }
        task?.cancel()
    }
}
