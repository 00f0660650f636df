import Synchronization

/// A reference that does not keep its object, and can be read and set on any thread.
final class WeakReference<Object>: Sendable {
    /// Unchecked, because the object is the app's: it is used on a private queue only, and this is read and set in a Mutex only.
    private struct Slot: @unchecked Sendable {
        weak var object: AnyObject?
    }

    private let slot = Mutex(Slot())

    var value: Object? { slot.withLock { Carried($0.object) }.value as? Object }

    func set(_ object: AnyObject?) {
        let carried = Carried(object)
        slot.withLock { $0.object = carried.value }
    }
}
