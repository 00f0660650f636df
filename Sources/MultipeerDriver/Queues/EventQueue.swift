public import MultipeerCore
import Synchronization

/// The queue of a link's events from the driver to the app's tasks.
///
/// Each event is delivered once, and tasks that take events share them. What waits of messages, streams and files uses the
/// peer's credit, so that each of them stops by itself (SPEC §13.3). While other events cost more than the high watermark, the
/// driver does not read from the transport (``LinkDriver/wantsRead``).
public final class EventQueue: Sendable {
    // This class is not generic, because other modules would call a generic queue unspecialised.
    private let queue: AsyncQueue<LinkEffect>
    private let state = Mutex(State())

    private struct State {
        var receipts = Receipts()
        /// The cost of the waiting events.
        var cost = 0
        var isDiscarding = false
        /// Whether the driver has been woken for the receipts that are there.
        var hasWoken = false
        var onWake: (@Sendable () -> Void)?
    }

    init(watermarks: Watermarks) {
        queue = AsyncQueue(watermarks: watermarks)
    }

    // MARK: The app

    /// Returns the next event, or nil after the last one or if the task is cancelled.
    public func next(isolation actor: isolated (any Actor)? = #isolation) async -> LinkEffect? {
        if Task.isCancelled { return nil }
        if let event = queue.takeReady() { return taken(event) }
        guard let event = await queue.next(isolation: actor) else { return nil }
        return taken(event)
    }

    /// Takes all waiting events at once. This is for apps that run on the driver's thread.
    public func takeAll() -> [LinkEffect] {
        let events = queue.takeAll()
        for event in events { _ = taken(event) }
        return events
    }

    /// Drops all waiting and later events, because there is no consumer.
    public func discard() {
        state.withLock { $0.isDiscarding = true }
        for event in queue.discard() { _ = taken(event) }
    }

    /// The cost of the waiting events, which is about the memory that they hold in bytes.
    public var cost: Int { state.withLock { $0.cost } }

    /// Notes that the app has an event, and wakes the driver once that is worth it.
    private func taken(_ event: LinkEffect) -> LinkEffect {
        let wake: (@Sendable () -> Void)? = state.withLock { state in
            state.cost -= event.cost
            state.receipts.add(event)
            guard state.receipts.isWorthTelling, !state.hasWoken else { return nil }
            state.hasWoken = true
            return state.onWake
        }
        wake?()
        return event
    }

    // MARK: The driver

    func setResume(_ onResume: @escaping @Sendable () -> Void) {
        state.withLock { $0.onWake = onResume }
        queue.setResume(onResume)
    }

    var isPaused: Bool { queue.isPaused }

    func push(_ event: LinkEffect) {
        let isDiscarding = state.withLock { state in
            if state.isDiscarding { state.receipts.add(event) } else { state.cost += event.cost }
            return state.isDiscarding
        }
        // What has credit does not stop the link.
        if !isDiscarding { queue.push(event, cost: event.usesCredit ? 0 : event.cost) }
    }

    /// What the app has taken since the last call.
    func takeReceipts() -> Receipts {
        state.withLock { state in
            defer { (state.receipts, state.hasWoken) = (Receipts(), false) }
            return state.receipts
        }
    }

    func finish() {
        state.withLock { $0.onWake = nil }
        queue.finish()
    }
}

/// What the app has taken of messages, streams and files, for the credit of the peer.
struct Receipts {
    /// From when on the driver is woken. An end counts as much as an eighth of it.
    private static let worth: UInt64 = 16_384

    /// Credit of messages.
    private(set) var messages: UInt64 = 0
    private(set) var streamBytes: [StreamID: Int] = [:]
    private(set) var streamEnds: [StreamID] = []
    private(set) var fileBytes: [FileID: Int] = [:]
    private(set) var fileEnds: [FileID] = []
    private var weight: UInt64 = 0

    var isEmpty: Bool { weight == 0 }
    var isWorthTelling: Bool { weight >= Self.worth }

    mutating func add(_ event: LinkEffect) {
        switch event {
        case .message(let bytes):
            let credit = Link.messageCredit(ofLength: bytes.count)
            messages += credit
            weight += credit
        case .stream(.data(let stream, let bytes)):
            streamBytes[stream, default: 0] += bytes.count
            weight += UInt64(bytes.count)
        case .stream(.ended(let stream, _)):
            streamEnds.append(stream)
            weight += Self.worth / 8
        case .incomingFile(.data(let file, let bytes)):
            fileBytes[file, default: 0] += bytes.count
            weight += UInt64(bytes.count)
        case .incomingFile(.ended(let file, _, _)):
            fileEnds.append(file)
            weight += Self.worth / 8
        default: break
        }
    }
}

extension LinkEffect {
    /// Whether what waits of such events is bounded by credit.
    fileprivate var usesCredit: Bool {
        switch self {
        case .message, .stream, .incomingFile: true
        default: false
        }
    }

    /// The cost of the event while it waits.
    fileprivate var cost: Int {
        let payload =
            switch self {
            case .message(let bytes): bytes.count
            case .incomingFile(.data(_, let bytes)): bytes.count
            case .stream(.data(_, let bytes)): bytes.count
            case .trace(let entry): entry.wire.count + entry.plaintext.count
            case .invited(_, let invitation), .invitationsMerged(let invitation): invitation.context.count
            case .verify, .identified, .invitationAccepted, .opened, .incomingFile, .outgoingFile, .stream, .closed,
                .messages, .memoryWanted, .memoryReturned, .messageStalled:
                0
            }
        return payload + DriverOptions.eventOverhead
    }
}
