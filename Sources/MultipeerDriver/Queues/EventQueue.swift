public import MultipeerCore

/// What happens on a link, on its way from the driver to the app's tasks.
///
/// Every event is delivered once: tasks that take events share them. While events that nobody takes cost more than the high
/// watermark, the driver wants no more bytes of the transport (``LinkDriver/wantsRead``).
public final class EventQueue: Sendable {
    // A generic queue behind a class that is not generic: other modules would call the former unspecialised.
    private let queue: AsyncQueue<LinkEffect>

    init(watermarks: Watermarks) {
        queue = AsyncQueue(watermarks: watermarks)
    }

    // MARK: The app

    /// The next event. Nil after the last one, or when the task is cancelled.
    public func next(isolation actor: isolated (any Actor)? = #isolation) async -> LinkEffect? {
        if Task.isCancelled { return nil }
        if let event = queue.takeReady() { return event }
        return await queue.next(isolation: actor)
    }

    /// Takes the events that are there, without waiting: for apps that live on the driver's thread.
    public func takeAll() -> [LinkEffect] { queue.takeAll() }

    /// Drops the events that wait and those that will come, because nobody is left to take them.
    public func discard() { queue.discard() }

    /// What the events that wait cost: about the bytes of memory that they hold.
    public var cost: Int { queue.cost }

    // MARK: The driver

    func setResume(_ onResume: @escaping @Sendable () -> Void) { queue.setResume(onResume) }

    var isPaused: Bool { queue.isPaused }

    func push(_ event: LinkEffect) { queue.push(event, cost: event.cost) }

    func finish() { queue.finish() }
}

extension LinkEffect {
    /// What the event counts while it waits.
    fileprivate var cost: Int {
        let payload =
            switch self {
            case .message(let bytes): bytes.count
            case .incomingFile(.data(_, let bytes)): bytes.count
            case .trace(let entry): entry.wire.count + entry.plaintext.count
            case .invited(_, let invitation), .invitationsMerged(let invitation): invitation.context.count
            case .verify, .identified, .invitationAccepted, .opened, .incomingFile, .outgoingFile, .closed: 0
            }
        return payload + DriverOptions.eventOverhead
    }
}
