public import MultipeerCore
public import MultipeerDriver
public import MultipeerWire
public import NIOCore

/// One link on one transport: what an app holds of it.
///
/// Take ``events`` until they end, and answer their questions by the requests. When the last reference to a connection and
/// its events is gone, the link closes in good order.
public final class LinkConnection: Sendable {
    /// The other side's address, where the transport has one.
    public let remote: Endpoint?
    /// This side's address, where the transport has one.
    public let local: Endpoint?
    /// Which side of the link this is.
    public let role: LinkRole

    let queue: EventQueue
    let handler: NIOLoopBound<LinkHandler>
    let channel: any Channel
    private let sends: SendQueue

    /// What happens on the link. Every event is delivered once, to whoever asks first.
    public var events: LinkEvents { LinkEvents(connection: self) }

    init(channel: any Channel, handler: LinkHandler, role: LinkRole) {
        self.channel = channel
        self.role = role
        queue = handler.driver.events
        sends = handler.driver.sends
        self.handler = NIOLoopBound(handler, eventLoop: channel.eventLoop)
        remote = channel.remoteAddress.flatMap(Endpoint.init)
        local = channel.localAddress.flatMap(Endpoint.init)
    }

    deinit {
        // A loop that has been shut down takes no tasks, and has closed its channels.
        guard channel.isActive else { return }
        let (handler, queue) = (handler, queue)
        channel.eventLoop.execute {
            handler.value.close()
            queue.discard()
        }
    }

    /// Puts a ``LinkHandler`` into a channel's pipeline. Call it on the channel's event loop; the link's time begins now.
    ///
    /// The channel should allow half-closure by the peer, and reads by itself (`autoRead`).
    /// - Throws: What the pipeline throws when the handler cannot be added.
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
        handler.observer = observer
        let connection = LinkConnection(channel: channel, handler: handler, role: role)
        do {
            try channel.pipeline.syncOperations.addHandler(handler, position: position)
        } catch {
            // Lets go of the handler, which the driver's queues keep for as long as it runs.
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
        let result: Swift.Result<Result, RequestError> = await withCheckedContinuation { continuation in
            let handler = handler
            channel.eventLoop.execute {
                continuation.resume(returning: handler.value.perform(request))
            }
        }
        return try result.get()
    }

    /// Queues a message of at most the peer's maximum, and returns when it is queued: suspended while
    /// ``LinkOptions/sends`` says that too much waits. Messages are sent in the order of the calls.
    ///
    /// That it is queued does not say that it arrives: see `LinkEnd`.
    /// - Throws: ``SendFailure``. A cancelled call has not queued the message.
    public func send(_ message: [UInt8]) async throws(SendFailure) {
        try await sends.send(message)
    }

    // MARK: Closing

    /// Begins to end the link in good order (`Link.close(at:)`), and returns at once. Go on taking ``events``.
    ///
    /// The link is over when the peer has answered, or after the closing deadline: ``waitUntilClosed()``.
    public func close() {
        let handler = handler
        channel.eventLoop.execute { handler.value.close() }
    }

    /// Begins to end the link with a code that says why, such as `shuttingDown`, and returns at once.
    public func close(_ code: CloseCode) {
        let handler = handler
        channel.eventLoop.execute { handler.value.close(code) }
    }

    /// Returns when the transport is closed, or when the task is cancelled. It asks nothing of the link: see ``close()``.
    public func waitUntilClosed() async {
        let end = AsyncQueue<Void>(watermarks: Watermarks(low: 0, high: 1))
        channel.closeFuture.whenComplete { _ in end.finish() }
        await end.next()
    }

    /// Closes the transport at once. The peer, and this side's events, will call the link truncated.
    public func abort() {
        let handler = handler
        channel.eventLoop.execute { handler.value.abort() }
    }

    // MARK: State

    /// What waits where; a snapshot.
    public func status() async -> LinkStatus {
        await withCheckedContinuation { continuation in
            let handler = handler
            channel.eventLoop.execute { continuation.resume(returning: handler.value.driver.status) }
        }
    }
}
