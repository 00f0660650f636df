import Synchronization

/// Holds every task that comes until it is opened.
final class Gate: Sendable {
    private let (opened, opening) = AsyncStream.makeStream(of: Void.self)
    private let reached = Mutex(false)

    var isReached: Bool { reached.withLock { $0 } }

    func wait() async {
        reached.withLock { $0 = true }
        for await _ in opened {}
    }

    func open() { opening.finish() }
}
