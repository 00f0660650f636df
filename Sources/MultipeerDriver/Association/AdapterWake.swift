import Synchronization

/// Wakes the adapter of the link that carries an association, from any thread. Between two links there is none.
final class AdapterWake: Sendable {
    private let onWake = Mutex<(@Sendable () -> Void)?>(nil)

    /// Sets the function that wakes the adapter.
    func set(_ onWake: (@Sendable () -> Void)?) { self.onWake.withLock { $0 = onWake } }

    func callAsFunction() { onWake.withLock { $0 }?() }
}
