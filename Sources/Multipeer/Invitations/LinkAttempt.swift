import MultipeerCore
import MultipeerDriver

/// An attempt to become connected with a peer over a link that this side has made.
final class LinkAttempt: Sendable {
    let session: SessionCore
    /// Whether this side waits to be invited, and accepts.
    let isJoining: Bool
    private let outcome = AsyncQueue<Result<Member, ConnectionError>>(watermarks: Watermarks(low: 0, high: .max))

    init(_ session: SessionCore, isJoining: Bool) {
        self.session = session
        self.isJoining = isJoining
    }

    func resolve(_ result: Result<Member, ConnectionError>) {
        outcome.push(result, cost: 0)
        outcome.finish()
    }

    /// Waits for the outcome; nil if the task is cancelled.
    func wait() async -> Result<Member, ConnectionError>? { await outcome.next() }
}
