public import MultipeerCore

/// An event of a link that the peer gets credit back for once the app has taken it.
public struct ReceiptedEvent: Sendable {
    /// What happened.
    public let effect: LinkEffect
    private let queue: EventQueue

    init(_ effect: LinkEffect, in queue: EventQueue) {
        self.effect = effect
        self.queue = queue
    }

    /// The app has taken the event. Call this once, from any thread.
    public func consume() { queue.consume(effect) }
}
