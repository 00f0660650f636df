import MultipeerCertificates
import Synchronization

/// One run of a validator. Several links of a group to one peer can wait for it, so that an app is asked once (SPEC §8.7).
final class Judgement: Sendable {
    private struct State {
        var task: Task<Void, Never>?
        var verdict: Verdict?
        var waiting: [ObjectIdentifier: @Sendable (Verdict) -> Void] = [:]
        var isOver = false
    }

    private let evidence: PeerEvidence
    private let state = Mutex(State())

    /// Starts the validator.
    init(of evidence: PeerEvidence, by validator: any CertificateValidator) {
        self.evidence = evidence
        let task = Task { [weak self] in
            let verdict = await validator.verify(evidence)
            self?.finish(verdict)
        }
        let isOver = state.withLock { state in
            state.task = task
            return state.isOver
        }
        if isOver { task.cancel() }
    }

    deinit { state.withLock { $0.task }?.cancel() }

    /// Whether the verdict holds for other evidence as well: it shows the same peer with the same certificate. How long a path is valid
    /// counts from a verdict, so each link has its own.
    func holds(for other: PeerEvidence) -> Bool {
        guard evidence.peer == other.peer, evidence.chain == other.chain, evidence.verification == other.verification
        else { return false }
        return state.withLock { state in
            if case .accepted(.trustAnchor) = state.verdict { return false }
            return !state.isOver
        }
    }

    /// Calls `onVerdict` once there is a verdict, from any thread.
    func wait(_ waiter: AnyObject, _ onVerdict: @escaping @Sendable (Verdict) -> Void) {
        let verdict = state.withLock { state in
            if state.verdict == nil { state.waiting[ObjectIdentifier(waiter)] = onVerdict }
            return state.verdict
        }
        if let verdict { onVerdict(verdict) }
    }

    /// Waits no longer. The validator is cancelled when nobody waits.
    func leave(_ waiter: AnyObject) {
        let task = state.withLock { state -> Task<Void, Never>? in
            guard state.waiting.removeValue(forKey: ObjectIdentifier(waiter)) != nil, state.waiting.isEmpty else {
                return nil
            }
            state.isOver = true
            return state.task.take()
        }
        task?.cancel()
    }

    private func finish(_ verdict: Verdict) {
        let waiting = state.withLock { state in
            state.verdict = verdict
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for onVerdict in waiting { onVerdict(verdict) }
    }
}
