public import MultipeerCore

/// The queue of a link's events from the driver to the app's tasks.
///
/// Each event is delivered once, and tasks that take events share them. Messages that wait use the peer's credit, so that
/// they stop by themselves (SPEC §13.3). While other events cost more than the high watermark, the driver does not read from
/// the transport (``LinkDriver/wantsRead``).
public final class EventQueue: Sendable {
    // This class is not generic, because other modules would call a generic queue unspecialised.
    private let queue: AsyncQueue<LinkEffect>

    init(watermarks: Watermarks) {
        queue = AsyncQueue(watermarks: watermarks, creditMark: 65_536)
    }

    // MARK: The app

    /// Returns the next event, or nil after the last one or if the task is cancelled.
    public func next(isolation actor: isolated (any Actor)? = #isolation) async -> LinkEffect? {
        if Task.isCancelled { return nil }
        if let event = queue.takeReady() { return event }
        return await queue.next(isolation: actor)
    }

    /// Takes all waiting events at once. This is for apps that run on the driver's thread.
    public func takeAll() -> [LinkEffect] { queue.takeAll() }

    /// Drops all waiting and later events, because there is no consumer.
    public func discard() { queue.discard() }

    /// The cost of the waiting events, which is about the memory that they hold in bytes.
    public var cost: Int { queue.cost }

    // MARK: The driver

    func setResume(_ onResume: @escaping @Sendable () -> Void) { queue.setResume(onResume) }

    var isPaused: Bool { queue.isPaused }

    func push(_ event: LinkEffect) { queue.push(event, cost: event.cost, credit: event.credit) }

    /// The credit of the messages that the app has taken since the last call.
    func takeCredit() -> UInt64 { queue.takeCredit() }

    func finish() { queue.finish() }
}

extension LinkEffect {
    /// What a message has used of the credit that this side gave its peer.
    fileprivate var credit: UInt64 {
        if case .message(let bytes) = self { Link.messageCredit(ofLength: bytes.count) } else { 0 }
    }

    /// The cost of the event while it waits.
    fileprivate var cost: Int {
        let payload =
            switch self {
            case .message(let bytes): bytes.count
            case .incomingFile(.data(_, let bytes)): bytes.count
            case .trace(let entry): entry.wire.count + entry.plaintext.count
            case .invited(_, let invitation), .invitationsMerged(let invitation): invitation.context.count
            case .verify, .identified, .invitationAccepted, .opened, .incomingFile, .outgoingFile, .closed, .messages,
                .memoryWanted, .memoryReturned, .messageStalled:
                0
            }
        return payload + DriverOptions.eventOverhead
    }
}
