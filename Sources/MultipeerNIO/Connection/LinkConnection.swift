public import MultipeerCore
public import MultipeerDriver
public import MultipeerWire
public import NIOCore

/// An app's handle to one link on one transport, and to the links that continue it: one of a ``NetworkNode`` that is lost may come back
/// (`NodeEffect.reconnecting`, SPEC §13.9). Requests wait for that.
///
/// Take ``events`` until they end, and answer their questions with requests. When the last reference to a connection
/// and its events is gone, the link closes properly.
public final class LinkConnection: Sendable {
    /// The remote address of the first link, if its transport has one.
    public let remote: Endpoint?
    /// The local address of the first link, if its transport has one.
    public let local: Endpoint?
    /// The local role in the first link.
    public let role: LinkRole

    let queue: EventQueue
    let carrier: NIOLoopBound<LinkCarrier>
    private let carrierState: CarrierState
    let eventLoop: any EventLoop
    private let sends: SendQueue
    private let datagrams: DatagramQueue

    /// The events of the link. Each event is delivered once, to the first iterator that asks.
    public var events: LinkEvents { LinkEvents(connection: self) }

    init(channel: any Channel, handler: LinkHandler, role: LinkRole) {
        eventLoop = channel.eventLoop
        self.role = role
        queue = handler.driver.events
        sends = handler.driver.sends
        datagrams = handler.driver.datagrams
        let carrier = LinkCarrier(handler, on: channel)
        carrierState = carrier.state
        self.carrier = NIOLoopBound(carrier, eventLoop: channel.eventLoop)
        remote = channel.remoteAddress.flatMap(Endpoint.init)
        local = channel.localAddress.flatMap(Endpoint.init)
    }

    deinit {
        guard isActive else { return }
        let (carrier, queue) = (carrier, queue)
        eventLoop.execute {
            carrier.value.handler.close()
            queue.discard()
        }
    }

    /// Adds a ``LinkHandler`` to a channel's pipeline. Call this on the channel's event loop. The link's deadlines
    /// count from now.
    ///
    /// The channel should allow half-closure by the peer, and read on its own (`autoRead`).
    /// - Throws: The pipeline's error if the handler cannot be added.
    public static func install(
        on channel: any Channel, role: LinkRole, configuration: LinkConfiguration, options: LinkOptions,
        position: ChannelPipeline.SynchronousOperations.Position = .last
    ) throws -> LinkConnection {
        try install(
            on: channel, role: role, configuration: configuration, options: options, position: position, observer: nil)
    }

    static func install(
        on channel: any Channel, role: LinkRole, configuration: LinkConfiguration, options: LinkOptions,
        position: ChannelPipeline.SynchronousOperations.Position = .last, observer: (any LinkObserver)?
    ) throws -> LinkConnection {
        let handler = LinkHandler(
            role: role, configuration: configuration, options: options, eventLoop: channel.eventLoop)
        if configuration.offersDatagrams {
            handler.carryDatagrams(
                on: channel, role: role, DatagramSockets(handler.clock, on: channel.eventLoop))
        }
        return try install(handler, on: channel, role: role, position: position, observer: observer)
    }

    static func install(
        _ handler: LinkHandler, on channel: any Channel, role: LinkRole,
        position: ChannelPipeline.SynchronousOperations.Position = .last, observer: (any LinkObserver)?
    ) throws -> LinkConnection {
        handler.observer = observer
        let connection = LinkConnection(channel: channel, handler: handler, role: role)
        do {
            try channel.pipeline.syncOperations.addHandler(handler, position: position)
        } catch {
            // This releases the handler, which the driver's queues hold for as long as it runs.
            handler.driver.transportClosed(at: handler.now)
            throw error
        }
        return connection
    }

    // MARK: Requests

    /// Runs a request on the link's event loop.
    func perform<Result: Sendable>(
        _ request: @escaping @Sendable (inout Link, Instant) throws(RequestError) -> Result
    ) async throws(RequestError) -> Result {
        try await onHandler { $0.perform(request) }.get()
    }

    /// Makes a request to the link where nobody can wait for what comes of it, as in a `deinit`.
    func submit(_ request: @escaping @Sendable (inout Link, Instant) throws(RequestError) -> Void) {
        let carrier = carrier
        eventLoop.execute { carrier.value.run { _ = $0.perform(request) } }
    }

    /// Runs a request on the link's driver, on the event loop.
    func drive<Result: Sendable>(
        _ request: @escaping @Sendable (LinkDriver, Instant) throws(RequestError) -> Result
    ) async throws(RequestError) -> Result {
        try await onHandler { $0.drive(request) }.get()
    }

    /// Runs a request on the event loop, as soon as a link carries the association, or none will.
    private func onHandler<Result: Sendable>(_ request: @escaping @Sendable (LinkHandler) -> Result) async -> Result {
        await withCheckedContinuation { continuation in
            let carrier = carrier
            eventLoop.execute { carrier.value.run { continuation.resume(returning: request($0)) } }
        }
    }

    /// The transport of the link that carries the association, or carried it last.
    var channel: any Channel { carrierState.channel }

    /// Whether a link carries the association, or may soon do so.
    var isActive: Bool { carrierState.isActive }

    /// Queues a message of at most the peer's maximum length. The call suspends while more waits than
    /// ``LinkOptions/sends`` allows. Messages are sent in the order of the calls.
    ///
    /// - Returns: The message, which tells what has become of it.
    /// - Throws: `SendFailure`. If the call is cancelled, the message has not been queued.
    @discardableResult
    public func send(_ message: [UInt8]) async throws(SendFailure) -> SentMessage {
        try await sends.send(message)
    }

    /// Queues a message if there is room (`SendQueue.sendIfRoom(_:)`).
    package func sendIfRoom(_ message: [UInt8]) throws(SendFailure) -> SentMessage? { try sends.sendIfRoom(message) }

    /// Queues a message without waiting, however much waits already (`SendQueue.enqueue(_:)`).
    @discardableResult
    package func enqueue(_ message: [UInt8]) throws(SendFailure) -> SentMessage { try sends.enqueue(message) }

    /// Queues a message if nothing waits, or little (`SendQueue.trySend(_:at:)`).
    @discardableResult
    package func trySend(_ message: [UInt8], at now: ContinuousClock.Instant) throws(SendFailure) -> SentMessage? {
        try sends.trySend(message, at: now)
    }

    /// Hands a message to the link's path for datagrams, if one holds (`DatagramQueue.trySend(_:)`). The first call asks for one.
    package func tryDatagram(_ message: [UInt8]) -> DatagramOutcome { datagrams.trySend(message) }

    /// Whether messages that may be lost go as datagrams.
    package var hasDatagramPath: Bool { datagrams.hasPath }

    /// How many messages did not arrive for certain: none as long as the link lives.
    package var undelivered: UndeliveredMessages { sends.undelivered }

    /// Returns when nothing waits to be sent any more (`SendQueue.waitUntilSent()`): a link that is closed before that gives its messages
    /// the closing deadline, and an open one `LinkOptions.stallTimeout`.
    /// - Returns: False if the link closes or ends before, or the task is cancelled.
    @discardableResult
    public func waitUntilSent() async -> Bool { await sends.waitUntilSent() }

    // MARK: Events of a node's link

    /// Passes events on, on the event loop, from now on: those that wait first (`EventQueue.forward(to:)`). Returns when these have been
    /// passed on.
    package func forward(to sink: @escaping EventQueue.Sink) async {
        await withCheckedContinuation { continuation in
            let queue = queue
            eventLoop.execute {
                queue.forward(to: sink)
                continuation.resume()
            }
        }
    }

    /// Nobody takes events of this link.
    package func discardEvents() { queue.discard() }

    // MARK: Closing

    /// Begins to close the link properly (`Link.close(at:)`), and returns at once. Continue to take ``events``.
    ///
    /// The link is closed when the peer has answered, or after the closing deadline; see ``waitUntilClosed()``.
    public func close() {
        let carrier = carrier
        eventLoop.execute { carrier.value.handler.close() }
    }

    /// Begins to close the link with a code that gives the reason, such as `shuttingDown`, and returns at once.
    public func close(_ code: CloseCode) {
        let carrier = carrier
        eventLoop.execute { carrier.value.handler.close(code) }
    }

    /// Returns when the transport is closed or the task is cancelled. It does not close the link; see ``close()``.
    public func waitUntilClosed() async {
        let end = AsyncQueue<Void>(watermarks: Watermarks(low: 0, high: 1))
        let carrier = carrier
        eventLoop.execute { carrier.value.whenClosed { end.finish() } }
        await end.next()
    }

    /// Closes the transport at once. The peer and the local events will report the link as truncated.
    public func abort() {
        let carrier = carrier
        eventLoop.execute { carrier.value.handler.abort() }
    }

    // MARK: State

    /// Returns a snapshot of the link's queues.
    public func status() async -> LinkStatus {
        await withCheckedContinuation { continuation in
            let carrier = carrier
            eventLoop.execute { continuation.resume(returning: carrier.value.handler.driver.status) }
        }
    }
}
