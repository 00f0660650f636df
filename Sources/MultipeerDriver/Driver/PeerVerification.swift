import MultipeerCertificates
import MultipeerCore
import Synchronization

/// One link's wait for the verdict of a validator. Keeps the verdict until the driver takes it.
///
/// The link has the deadline. When it passes, the link ends, and the wait with it. A later verdict has no effect.
final class PeerVerification: Sendable {
    private struct State {
        var verdict: Verdict?
        var onWake: (@Sendable () -> Void)?
        var isOver = false
    }

    let judgement: Judgement
    private let token: LinkToken
    private let state = Mutex(State())

    /// Waits for the verdict of a judgement, as the answer to the link's question.
    init(_ token: LinkToken, by judgement: Judgement) {
        self.token = token
        self.judgement = judgement
    }

    deinit { cancel() }

    /// Begins to wait.
    /// - Parameter onWake: Makes the driver take the verdict. It is called from any thread.
    func begin(_ onWake: (@Sendable () -> Void)?) {
        state.withLock { $0.onWake = onWake }
        judgement.wait(self) { [weak self] verdict in self?.finish(verdict) }
    }

    /// Sets the function that makes the driver take the verdict.
    func setWake(_ onWake: @escaping @Sendable () -> Void) {
        state.withLock { $0.onWake = onWake }
    }

    private func finish(_ verdict: Verdict) {
        let wake = state.withLock { state -> (@Sendable () -> Void)? in
            guard !state.isOver else { return nil }
            state.verdict = verdict
            return state.onWake
        }
        wake?()
    }

    /// Returns the verdict, once.
    func takeVerdict() -> (LinkToken, Verdict)? {
        state.withLock { state in state.verdict.take() }.map { (token, $0) }
    }

    /// The link is over.
    func cancel() {
        state.withLock { state in
            state.isOver = true
            state.onWake = nil
            state.verdict = nil
        }
        judgement.leave(self)
    }
}
