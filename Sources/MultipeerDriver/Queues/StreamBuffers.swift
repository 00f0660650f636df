import Synchronization

/// What waits for the app of one stream or file each, in a queue of its own, so that an app that stops taking one of them
/// stops no other (R13.3-2).
final class StreamBuffers<Key: Hashable & Sendable, Part: Sendable>: Sendable {
    /// Credit bounds what waits, so no queue pauses its producer.
    private static var watermarks: Watermarks { .unbounded }

    private struct State {
        var queues: [Key: AsyncQueue<Part>] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The queue of a key, if it has one.
    func queue(of key: Key) -> AsyncQueue<Part>? { state.withLock { $0.queues[key] } }

    /// Gives a key a queue, unless it has one.
    @discardableResult
    func open(_ key: Key) -> AsyncQueue<Part> {
        let (queue, isFinished) = state.withLock { state in
            if let queue = state.queues[key] { return (queue, state.isFinished) }
            let queue = AsyncQueue<Part>(watermarks: Self.watermarks)
            state.queues[key] = queue
            return (queue, state.isFinished)
        }
        if isFinished { queue.finish() }
        return queue
    }

    /// Forgets a key. Returns its queue.
    @discardableResult
    func remove(_ key: Key) -> AsyncQueue<Part>? { state.withLock { $0.queues.removeValue(forKey: key) } }

    /// Nothing more comes. What waits can still be taken.
    func finish() {
        let queues = state.withLock { state in
            state.isFinished = true
            return Array(state.queues.values)
        }
        for queue in queues { queue.finish() }
    }

    /// All keys with queues.
    var keys: [Key] { state.withLock { Array($0.queues.keys) } }
}
