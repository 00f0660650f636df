import Synchronization

/// A flag that another task sets once.
package final class Cancellation: Sendable {
    private let flag = Atomic(false)

    package init() {}

    package var isSet: Bool { flag.load(ordering: .relaxed) }

    package func set() { flag.store(true, ordering: .relaxed) }
}
