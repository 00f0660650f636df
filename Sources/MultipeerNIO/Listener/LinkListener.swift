public import MultipeerCore
public import NIOCore
import NIOPosix

/// A listener that accepts links from initiators, within limits.
///
/// When the last reference to a listener is gone, it stops listening. Its links live on.
public final class LinkListener: Sendable {
    /// The endpoint where it listens, with the port that the system chose.
    public let localEndpoint: Endpoint

    let channel: any Channel
    let limiter: ConnectionLimiter
    private let queue: LinkQueue

    private init(
        channel: any Channel, endpoint: Endpoint, limiter: ConnectionLimiter, queue: LinkQueue
    ) {
        self.channel = channel
        localEndpoint = endpoint
        self.limiter = limiter
        self.queue = queue
    }

    deinit {
        stopListening()
    }

    /// Stops listening. The links that were accepted continue.
    public func stop() { stopListening() }

    /// The links that initiators begin, before those have identified themselves. The sequence ends with the listener.
    ///
    /// A link that nobody takes continues, and ends because nobody answers its questions. Of the links that have ended before
    /// somebody took them, only the last few remain in the sequence.
    public var connections: LinkConnections { LinkConnections(listener: self, queue: queue) }

    /// The counts of the listener's connections so far.
    public var counts: ListenerCounts { limiter.counts }

    /// Starts to listen. The file of a Unix socket is created, and removed at the end. An existing socket is removed if
    /// nobody listens at it. `eventLoopGroup` must outlive the listener and its links.
    /// - Throws: ``BindError``.
    public static func bind(
        to endpoint: Endpoint, configuration: LinkConfiguration, options: LinkOptions,
        limits: ListenerLimits = ListenerLimits(), eventLoopGroup: any EventLoopGroup
    ) async throws(BindError) -> LinkListener {
        try await bind(
            to: endpoint, configuration: configuration, options: options, limits: limits,
            eventLoopGroup: eventLoopGroup
        ) { channel, origin, observer in
            var options = options
            options.origin = origin
            return try LinkConnection.install(
                on: channel, role: .responder, configuration: configuration, options: options, observer: observer)
        }
    }

    static func bind(
        to endpoint: Endpoint, configuration: LinkConfiguration, options: LinkOptions, limits: ListenerLimits,
        eventLoopGroup: any EventLoopGroup, makeLink: @escaping LinkMaker
    ) async throws(BindError) -> LinkListener {
        let limits = limits.fitting(descriptors: DescriptorLimit.current)
        let limiter = ConnectionLimiter(limits: limits)
        let queue = LinkQueue()
        let acceptor = Acceptor(
            configuration: configuration, options: options, limits: limits, limiter: limiter, makeLink: makeLink,
            queue: queue)
        if case .unixSocket(let path) = endpoint { try await UnixSocketFile.makeRoom(at: path, group: eventLoopGroup) }
        let channel = try await bind(to: endpoint, acceptor: acceptor, limits: limits, group: eventLoopGroup)
        return LinkListener(
            channel: channel, endpoint: channel.localAddress.flatMap(Endpoint.init) ?? endpoint, limiter: limiter,
            queue: queue)
    }

    private static func bind(
        to endpoint: Endpoint, acceptor: Acceptor, limits: ListenerLimits, group: any EventLoopGroup
    ) async throws(BindError) -> any Channel {
        let bootstrap = ServerBootstrap(group: group)
            .serverChannelOption(.backlog, value: limits.backlog)
            .serverChannelOption(.maxMessagesPerRead, value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.setCloseOnExec()
                    let rate = AcceptRateHandler(limits: limits, now: channel.eventLoop.now)
                    try channel.pipeline.syncOperations.addHandlers([AcceptPauseHandler(), rate])
                }
            }
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelOption(.recvAllocator, value: ReadOptions.allocator)
            .childChannelOption(.maxMessagesPerRead, value: ReadOptions.readsPerTurn)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.setCloseOnExec()
                    try acceptor.accept(channel)
                }
            }
        let bound =
            switch endpoint {
            case .tcp(let host, let port) where (0...65_535).contains(port) && !host.isEmpty:
                bootstrap.serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
                    .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
                    .childChannelOption(.socketOption(.so_keepalive), value: 1)
                    .bind(host: host, port: port)
            case .tcp: throw .invalidEndpoint
            case .unixSocket(let path): bootstrap.bind(unixDomainSocketPath: path)
            }
        do {
            return try await bound.get()
        } catch {
            throw BindError(error)
        }
    }

    private func stopListening() {
        channel.close(promise: nil)
        queue.finish()
    }

    /// Answers every later connection with REFUSAL `busy`. Existing links continue.
    public func refuseNewLinks() { limiter.beginRefusing() }

    /// Stops the listener. It accepts no more links, closes open sessions properly, notifies all other peers that the
    /// program ends, and aborts every link that remains after `grace`. Returns when every link's transport is closed.
    ///
    /// Continue to take the links' events meanwhile. A second call waits like the first. When the task is cancelled, the grace is
    /// over.
    public func shutdown(gracefullyWithin grace: Duration = .seconds(5)) async {
        let links = limiter.beginShutdown()
        stopListening()
        queue.discard()
        let loop = channel.eventLoop
        let ends = links.map { link in
            link.eventLoop.flatSubmit { link.value.shutDown() }
        }
        let abort: @Sendable () -> Void = {
            for link in links { link.eventLoop.execute { link.value.abort() } }
        }
        let alarm = loop.scheduleTask(in: TimeAmount(clamping: grace), abort)
        await withTaskCancellationHandler {
            // Neither the ends of links nor the listener's own fail.
            try? await EventLoopFuture.andAllComplete(ends + [channel.closeFuture], on: loop).get()
        } onCancel: {
            abort()
        }
        alarm.cancel()
    }
}

/// The links that a listener accepts.
public struct LinkConnections: AsyncSequence, Sendable {
    // Keeps the listener alive, because a listener without references stops.
    let listener: LinkListener
    let queue: LinkQueue

    public func makeAsyncIterator() -> Iterator { Iterator(listener: listener, queue: queue) }

    /// An iterator over the links.
    public struct Iterator: AsyncIteratorProtocol {
        let listener: LinkListener
        let queue: LinkQueue

        /// Returns the next link, or nil at the end.
        public mutating func next() async -> LinkConnection? { await queue.next() }

        /// Returns the next link, or nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> LinkConnection? {
            await queue.next(isolation: actor)
        }
    }
}
