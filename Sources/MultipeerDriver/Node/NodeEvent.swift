public import MultipeerCore
public import MultipeerWire

/// What a node reports to its app, in order.
@nonexhaustive
public enum NodeEvent: Sendable {
    /// About links, invitations and members. What the driver answers by itself is not among it: dialling and verdicts.
    case node(NodeEffect)
    /// About messages, streams, files and the end of a link.
    case link(LinkNumber, ReceiptedEvent)
}

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

/// What a node wants of the network.
@nonexhaustive
public enum NodeOrder: Sendable {
    /// Connect there, and tell ``NodeDriver/connected(_:origin:isWithinHost:at:)`` or ``NodeDriver/failed(_:at:)``.
    case dial(DialNumber, MemberAddress)
    /// Nobody needs that connection any more.
    case cancelDial(DialNumber)
}
