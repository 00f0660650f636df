import MultipeerCore
import MultipeerCrypto
import MultipeerDriver
import Synchronization

/// An attempt to become connected with a peer over a link that this side has made.
final class LinkAttempt: Sendable {
    let session: SessionCore
    /// Whether this side waits to be invited, and accepts.
    let isJoining: Bool
    /// Whom this side expects, if it does.
    let expected: IdentityKey?
    /// Which tag its key must have (R23.5-1).
    let tag: KeyTag?
    /// When an invitation gives up, whatever it waits for.
    private let deadline: ContinuousClock.Instant
    private let outcome = AsyncQueue<Result<Member, ConnectionError>>(watermarks: Watermarks(low: 0, high: .max))
    private let alarm = Mutex<Task<Void, Never>?>(nil)

    private let identification = AsyncQueue<Bool>(watermarks: Watermarks(low: 0, high: .max))

    init(
        _ session: SessionCore, isJoining: Bool, expecting key: IdentityKey?, tagged tag: KeyTag? = nil,
        timeout: Duration = .zero
    ) {
        self.session = session
        self.isJoining = isJoining
        expected = key
        self.tag = tag
        deadline = ContinuousClock.now.advanced(by: timeout)
    }

    /// The peer has proved its key, and it is the right one.
    func identified() {
        identification.push(true, cost: 0)
        identification.finish()
    }

    /// Waits until the peer has proved its key. Returns false if that did not happen, and nil if the task is cancelled.
    func waitForIdentity() async -> Bool? { await identification.next() }

    /// Only the first result counts.
    func resolve(_ result: Result<Member, ConnectionError>) {
        identification.push(false, cost: 0)
        identification.finish()
        outcome.push(result, cost: 0)
        outcome.finish()
        alarm.withLock { $0.take() }?.cancel()
    }

    /// Something else decides from now on; if that has not happened when the time is over, this is how it ends.
    func expire(with error: ConnectionError) {
        let task = Task { [self] in
            guard (try? await Task.sleep(until: deadline, clock: .continuous)) != nil else { return }
            resolve(.failure(error))
        }
        alarm.withLock { $0 = task }
    }

    /// Waits for the outcome; nil if the task is cancelled.
    func wait() async -> Result<Member, ConnectionError>? { await outcome.next() }
}
