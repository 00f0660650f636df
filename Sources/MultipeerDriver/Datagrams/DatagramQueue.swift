package import MultipeerCore
import Synchronization

/// Messages that go as datagrams, from tasks to the driver (SPEC §26). They go now or never: none waits for room.
package final class DatagramQueue: Sendable {
    /// What the path takes now.
    struct Room {
        /// The longest message.
        let longest: Int
        /// How many messages.
        var count: Int
    }

    private struct State {
        /// Nil where no path holds.
        var room: Room?
        var waiting: [[UInt8]] = []
        /// Whether the app has ever sent such a message, so that a path is worth having.
        var isWanted = false
        var onWake: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())
    /// Whether there is anything for the driver to do, which looks at each of its turns.
    private let hasWork = Atomic(false)

    // MARK: Tasks

    /// Hands a message to the path, if one holds.
    package func trySend(_ message: [UInt8]) -> DatagramOutcome {
        let (outcome, wake): (DatagramOutcome, (@Sendable () -> Void)?) = state.withLock { state in
            let isFirst = !state.isWanted
            state.isWanted = true
            guard let room = state.room, !message.isEmpty, message.count <= room.longest else {
                return (.overLink, isFirst ? state.onWake : nil)
            }
            guard room.count > 0 else { return (.dropped, nil) }
            state.room?.count -= 1
            state.waiting.append(message)
            return (.sent, state.waiting.count == 1 ? state.onWake : nil)
        }
        if outcome == .sent || wake != nil { hasWork.store(true, ordering: .releasing) }
        wake?()
        return outcome
    }

    // MARK: The driver

    /// Takes what waits, if anything is new. `isWanted` stays.
    func take() -> (isWanted: Bool, messages: [[UInt8]])? {
        guard hasWork.load(ordering: .relaxed), hasWork.exchange(false, ordering: .acquiring) else { return nil }
        return state.withLock { state in
            defer { state.waiting = [] }
            return (state.isWanted, state.waiting)
        }
    }

    /// Whether a path holds.
    package var hasPath: Bool { state.withLock { $0.room != nil } }

    /// Whether the app wants a path.
    var isWanted: Bool { state.withLock { $0.isWanted } }

    /// What the path takes now; nil where none holds. What has been accepted since counts.
    func note(_ room: Room?) {
        state.withLock { state in
            state.room = room
            state.room?.count -= state.waiting.count
        }
    }

    /// Sets the function that wakes the driver, from any thread. It is nil after the driver's end.
    func setWake(_ onWake: (@Sendable () -> Void)?) { state.withLock { $0.onWake = onWake } }
}
