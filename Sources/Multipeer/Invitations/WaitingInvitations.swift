import MultipeerCore
import MultipeerWire
import Synchronization

/// The invitations that wait for an app. Their number is bounded, and nobody can take all places (``CallerPlaces``).
final class WaitingInvitations: Sendable {
    /// How many may wait for an answer. A peer that comes then hears that the local peer is busy.
    private static let atOnce = 16

    /// What the app's sessions say of encryption, if that is the same for all; nil if only its answer shows it.
    let encryption: EncryptionPreference?

    /// The app keeps what it was given; what it has not taken is kept here.
    private struct State {
        var untaken: [Invitation] = []
        var places = CallerPlaces(WaitingInvitations.atOnce)
        var isOver = false
    }

    private let state = Mutex(State())
    /// Wakes the tasks that wait.
    private let signal = Signal()

    init(encryption: EncryptionPreference?) { self.encryption = encryption }

    /// Asks the app, and returns its answer; nil if the task is cancelled. The app alone keeps the invitation meanwhile.
    func ask(_ details: InvitationDetails) async -> InvitationAnswer.Value? {
        let caller = details.caller
        guard let answer = begin(Invitation(details)) else { return .declined(.busy) }
        let value = await answer.wait()
        state.withLock { state in
            state.places.giveBack(caller)
            state.untaken.removeAll { $0.answer === answer }
        }
        return value
    }

    private func begin(_ incoming: Invitation) -> InvitationAnswer? {
        let isTaken = state.withLock { state in
            guard !state.isOver, state.places.take(incoming.caller) else { return false }
            state.untaken.append(incoming)
            return true
        }
        guard isTaken else { return nil }
        signal.set()
        return incoming.answer
    }

    /// Returns the next invitation; nil at the end, or if the task is cancelled.
    func next() async -> Invitation? {
        while !Task.isCancelled {
            if let next = state.withLock({ $0.untaken.isEmpty ? nil : $0.untaken.removeFirst() }) { return next }
            guard await signal.wait() else { return nil }
        }
        return nil
    }

    /// Nobody is asked any more, and a peer that waits is declined.
    func finish() {
        let untaken = state.withLock { state in
            state.isOver = true
            defer { state.untaken = [] }
            return state.untaken
        }
        for invitation in untaken { invitation.decline() }
        signal.finish()
    }
}
