import Multipeer
import MultipeerCommandLine
import MultipeerCrypto
import Synchronization

/// The peers that want to be let in, and have no answer of the person yet.
final class OpenInvitations: Sendable {
    /// How many may wait in all, and of those that were not met before.
    static let most = 16
    static let mostStrangers = 12
    /// How many are shown within ``period``, and of those that were not met before: a peer that invites again and again
    /// must not fill the screen.
    static let mostShown = 30
    static let mostStrangersShown = 24
    private static let period: Duration = .seconds(60)

    private struct Waiting {
        let number: Int
        let peer: PeerID
        let isKnown: Bool
        let answer: AsyncStream<Bool>.Continuation
    }

    private struct State {
        var waiting: [Waiting] = []
        var lastNumber = 0
        var shown: [(at: ContinuousClock.Instant, isKnown: Bool)] = []

        /// Whether one more may be shown: strangers leave places to peers that were met before.
        func hasRoom(isKnown: Bool) -> Bool {
            guard waiting.count < OpenInvitations.most, shown.count < OpenInvitations.mostShown else { return false }
            return isKnown
                || waiting.count { !$0.isKnown } < OpenInvitations.mostStrangers
                    && shown.count { !$0.isKnown } < OpenInvitations.mostStrangersShown
        }
    }

    private let state = Mutex(State())

    /// Waits for the person's answer.
    /// - Parameters:
    ///   - isKnown: Whether the peer was met before.
    ///   - show: Shows the person who it is.
    func ask(_ peer: PeerID, isKnown: Bool, for patience: Duration, _ show: () -> Void) async
        -> InvitationReply
    {
        let (answers, answer) = AsyncStream.makeStream(of: Bool.self)
        guard let number = add(peer, isKnown, answer) else { return .crowded }
        show()
        let clock = Task {
            try? await Task.sleep(for: patience)
            answer.finish()
        }
        defer {
            clock.cancel()
            state.withLock { $0.waiting.removeAll { $0.number == number } }
        }
        for await isAccepted in answers { return isAccepted ? .accepted : .declined }
        return Task.isCancelled ? .withdrawn : .unanswered
    }

    private func add(_ peer: PeerID, _ isKnown: Bool, _ answer: AsyncStream<Bool>.Continuation) -> Int? {
        let now = ContinuousClock.now
        return state.withLock { state in
            state.shown.removeAll { $0.at.advanced(by: Self.period) <= now }
            guard state.hasRoom(isKnown: isKnown) else { return nil }
            state.shown.append((now, isKnown))
            state.lastNumber += 1
            state.waiting.append(Waiting(number: state.lastNumber, peer: peer, isKnown: isKnown, answer: answer))
            return state.lastNumber
        }
    }

    /// The peers that wait.
    var peers: [PeerID] { state.withLock { $0.waiting.map(\.peer) } }

    /// The person's answer to all that one peer waits for.
    func answer(_ peer: PeerID, isAccepted: Bool) {
        let answers = state.withLock { state in
            let answers = state.waiting.filter { $0.peer.key == peer.key }.map(\.answer)
            state.waiting.removeAll { $0.peer.key == peer.key }
            return answers
        }
        for answer in answers { answer.yield(isAccepted) }
    }
}
