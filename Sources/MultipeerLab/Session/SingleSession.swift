import MultipeerCommandLine
import MultipeerNIO
import MultipeerWire
import Synchronization

/// Finds the one session of `listen --once` among all links that come.
///
/// Links are served at the same time until one opens; that one counts, and the others end. Until then a link counts only if
/// its peer has been identified, and fails the command only when no other such link is left. What comes before can be anything:
/// a port scanner, junk, silence.
final class SingleSession: Sendable {
    private struct State {
        var links: [Int: LinkConnection] = [:]
        var identified: Set<Int> = []
        var chosen: Int?
        var firstFailure: ExitStatus?
        var status: ExitStatus?
    }

    private let listener: LinkListener
    private let state = Mutex(State())

    init(_ listener: LinkListener) {
        self.listener = listener
    }

    /// The status of the session. If there was none, somebody ended the command.
    var status: ExitStatus { state.withLock { $0.status } ?? .interrupted }

    /// Runs the session of one link. The listener is shut down when it is known which session counts and that is over.
    func run(_ session: Session) async {
        let number = session.number
        let isTooLate = state.withLock { state in
            state.links[number] = session.connection
            return state.chosen != nil
        }
        if isTooLate { session.connection.close(.shuttingDown) }
        var session = session
        session.onMilestone = { [self] milestone in
            switch milestone {
            case .identified: state.withLock { _ = $0.identified.insert(number) }
            case .opened: choose(number)
            }
        }
        let outcome = await session.run()
        if let failure = outcome.failure, !outcome.isProbe, isWorthTelling(outcome) {
            session.fail(failure)
        }
        if end(number, outcome) { await listener.shutdown() }
    }

    /// A link that was closed because another one counts, before its peer was known, has failed at nothing.
    private func isWorthTelling(_ outcome: Session.Outcome) -> Bool {
        outcome.wasIdentified || state.withLock { $0.chosen == nil }
    }

    /// The link is open: it is the one, unless another was first.
    private func choose(_ number: Int) {
        let others: [LinkConnection] = state.withLock { state in
            guard state.chosen == nil else { return state.links[number].map { [$0] } ?? [] }
            state.chosen = number
            return state.links.filter { $0.key != number }.map(\.value)
        }
        listener.refuseNewLinks()
        for link in others { link.close(.shuttingDown) }
    }

    /// A link is over. Returns whether the command is.
    private func end(_ number: Int, _ outcome: Session.Outcome) -> Bool {
        state.withLock { state in
            state.links[number] = nil
            state.identified.remove(number)
            if state.chosen == number {
                state.status = outcome.status
                return true
            }
            guard state.chosen == nil else { return false }
            if outcome.wasIdentified, state.firstFailure == nil { state.firstFailure = outcome.status }
            guard state.identified.isEmpty, let failure = state.firstFailure else { return false }
            state.status = failure
            return true
        }
    }
}
