public import MultipeerCore
import Synchronization

/// The queue of a link's events from the driver to the app's tasks.
///
/// Each event is delivered once, and tasks that take events share them. What waits of messages, streams and files uses the
/// peer's credit, so that each of them stops by itself (SPEC §13.3). While other events cost more than the high watermark, the
/// driver does not read from the transport (``LinkDriver/wantsRead``): these are few, but for traces of records.
///
/// The bytes and the end of each stream wait in a queue of their own (`nextPart(of:)`), so that a
/// stream that nobody takes holds up nothing else. Files do so on request (``separate(_:)``).
public final class EventQueue: Sendable {
    // This class is not generic, because other modules would call a generic queue unspecialised.
    private let queue: AsyncQueue<LinkEffect>
    let streams = StreamBuffers<StreamID, StreamPart>()
    private let files = StreamBuffers<FileID, FilePart>()
    private let state = Mutex(State())

    private struct State {
        /// Where events go in place of the queue.
        var sink: Sink?
        var receipts = ConsumedCredit()
        /// The cost of the waiting events.
        var cost = 0
        var isDiscarding = false
        /// How many waiting events will be receipts once the app has taken them.
        var unreceipted = 0
        /// Whether the driver has been woken for the receipts that are there.
        var hasWoken = false
        /// Whether the next receipt wakes the driver, however small it is.
        var isEager = false
        var onWake: (@Sendable () -> Void)?
    }

    init(watermarks: Watermarks) {
        queue = AsyncQueue(watermarks: watermarks)
    }

    /// Takes an event on the driver's thread. The receiver calls ``ReceiptedEvent/consume()`` once the app has it.
    package typealias Sink = @Sendable (ReceiptedEvent) -> Void

    /// Passes events on from now on, those that wait first, until the link is closed: for links whose events go to the app together
    /// with others. Streams and files that have queues of their own keep them. Call this on the driver's thread.
    package func forward(to sink: @escaping Sink) {
        let waiting = queue.takeAll()
        state.withLock { state in
            state.sink = sink
            // Nobody says when the others are taken.
            for event in waiting where !event.givesReceipt { state.cost -= event.cost }
        }
        for event in waiting { pass(event, to: sink) }
    }

    /// The end of a link is its last event. What takes events may keep the link's connection, so it is let go then.
    private func pass(_ event: LinkEffect, to sink: Sink) {
        sink(ReceiptedEvent(event, in: self))
        if case .closed = event { state.withLock { $0.sink = nil } }
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
        for stream in streams.keys { drop(stream) }
        for file in files.keys { drop(file) }
    }

    /// The app has an event that was passed on.
    func consume(_ event: LinkEffect) {
        if event.givesReceipt { _ = taken(event) }
    }

    // MARK: Streams

    /// Returns what comes next of a stream; nil after the end, for a stream from which nothing comes, or if the task is
    /// cancelled.
    public func nextPart(
        of stream: StreamID, isolation actor: isolated (any Actor)? = #isolation
    ) async -> StreamPart? {
        guard let queue = streams.queue(of: stream), let part = await queue.next(isolation: actor) else { return nil }
        return taken(part, of: stream)
    }

    /// Takes all that waits of a stream at once. This is for apps that run on the driver's thread.
    public func takeParts(of stream: StreamID) -> [StreamPart] {
        (streams.queue(of: stream)?.takeAll() ?? []).map { taken($0, of: stream) }
    }

    private func taken(_ part: StreamPart, of stream: StreamID) -> StreamPart {
        _ = taken(part.event(of: stream))
        if case .ended = part { streams.remove(stream) }
        return part
    }

    /// The app wants nothing more of a stream.
    func drop(_ stream: StreamID) {
        guard let queue = streams.remove(stream) else { return }
        for part in queue.takeAll() { _ = taken(part.event(of: stream)) }
        queue.finish()
    }

    /// The app will read a stream that it has opened.
    func expect(_ stream: StreamID) { streams.open(stream) }

    // MARK: Files

    /// From now on the bytes and the end of a file wait in a queue of their own. Call this before the file is accepted, and
    /// `drop` if it is not.
    public func separate(_ file: FileID) { files.open(file) }

    /// Returns what comes next of a file with a queue of its own; nil after the end, also of the link, or if the task
    /// is cancelled.
    public func nextPart(
        of file: FileID, isolation actor: isolated (any Actor)? = #isolation
    ) async -> FilePart? {
        guard let queue = files.queue(of: file), let part = await queue.next(isolation: actor) else { return nil }
        return taken(part, of: file)
    }

    /// Takes all that waits of a file with a queue of its own at once. This is for apps that run on the driver's thread.
    public func takeParts(of file: FileID) -> [FilePart] {
        (files.queue(of: file)?.takeAll() ?? []).map { taken($0, of: file) }
    }

    private func taken(_ part: FilePart, of file: FileID) -> FilePart {
        _ = taken(part.event(of: file))
        if part.isLast { files.remove(file) }
        return part
    }

    /// The app wants nothing more of a file with a queue of its own.
    public func drop(_ file: FileID) {
        guard let queue = files.remove(file) else { return }
        for part in queue.takeAll() { _ = taken(part.event(of: file)) }
        queue.finish()
    }

    /// The cost of the waiting events, which is about the memory that they hold in bytes.
    public var cost: Int { state.withLock { $0.cost } }

    /// Notes that the app has an event, and wakes the driver once that is worth it.
    private func taken(_ event: LinkEffect) -> LinkEffect {
        let wake: (@Sendable () -> Void)? = state.withLock { state in
            state.cost -= event.cost
            guard event.givesReceipt else { return nil }
            state.unreceipted -= 1
            state.receipts.add(event)
            guard state.receipts.isWorthTelling || state.isEager, !state.hasWoken else { return nil }
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
        let (isDiscarding, sink) = state.withLock { state in
            if state.isDiscarding {
                state.receipts.add(event)
            } else {
                if state.sink == nil || event.givesReceipt { state.cost += event.cost }
                state.unreceipted += event.givesReceipt ? 1 : 0
            }
            return (state.isDiscarding, state.sink)
        }
        if !isDiscarding, !isForInbox(event) {
            if let sink {
                pass(event, to: sink)
            } else {
                // What has credit does not stop the link.
                queue.push(event, cost: event.usesCredit ? 0 : event.cost)
            }
        }
        if case .closed = event {
            streams.finish()
            files.finish()
        }
    }

    /// Puts what belongs to one stream or file into its queue. Returns whether there is one.
    private func isForInbox(_ event: LinkEffect) -> Bool {
        switch event {
        case .stream(.opened(let stream, _)):
            // Before its first byte, or the app that asks for it at once would see an end.
            streams.open(stream)
            return false
        case .stream(.data(let stream, let bytes)): push(.bytes(bytes), of: stream)
        case .stream(.ended(let stream, let ending)): push(.ended(ending), of: stream)
        case .incomingFile(.data(let file, let bytes)): return push(.bytes(bytes), of: file)
        case .incomingFile(.complete(let file, let digest)): return push(.complete(digest), of: file)
        case .incomingFile(.ended(let file, let reason, let byPeer)):
            return push(.ended(reason, byPeer: byPeer), of: file)
        default: return false
        }
        return true
    }

    private func push(_ part: StreamPart, of stream: StreamID) {
        let queue = streams.open(stream)
        if part.dropsEarlier {
            for part in queue.takeAll() { _ = taken(part.event(of: stream)) }
        }
        queue.push(part, cost: 0)
        if case .ended = part { queue.finish() }
    }

    private func push(_ part: FilePart, of file: FileID) -> Bool {
        guard let queue = files.queue(of: file) else { return false }
        queue.push(part, cost: 0)
        return true
    }

    /// What the app has taken since the last call.
    func takeConsumed() -> ConsumedCredit {
        state.withLock { state in
            guard !state.receipts.isEmpty else { return state.receipts }
            defer { (state.receipts, state.hasWoken, state.isEager) = (ConsumedCredit(), false, false) }
            return state.receipts
        }
    }

    /// Whether the driver should look for receipts in a while, because nobody will wake it for small ones.
    var expectsReceipts: Bool {
        state.withLock { !$0.receipts.isEmpty || $0.unreceipted > 0 && !$0.isEager }
    }

    /// The driver looks no more: the next receipt wakes it.
    func notifyImmediately() { state.withLock { $0.isEager = true } }

    func finish() {
        state.withLock { $0.onWake = nil }
        queue.finish()
    }

    // MARK: After the link

    /// Whether the app has had all that came, of what has receipts, and these have been taken.
    var isSettled: Bool { state.withLock { $0.unreceipted == 0 && $0.receipts.isEmpty } }

    /// The link is over, and somebody else wants its receipts, each at once.
    func expectLateReceipts(_ onWake: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.onWake = onWake
            state.isEager = true
            state.hasWoken = !state.receipts.isEmpty
            return state.hasWoken
        }
        if isLate { onWake() }
    }
}
