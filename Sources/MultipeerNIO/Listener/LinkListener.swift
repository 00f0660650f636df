public import MultipeerCore
import MultipeerDriver
public import NIOCore
import NIOPosix

/// Takes links from initiators, within limits.
///
/// A listener that is dropped stops listening; its links live on.
public final class LinkListener: Sendable {
    /// Where it listens, with the port that the system chose.
    public let localEndpoint: Endpoint

    let channel: any Channel
    let limiter: ConnectionLimiter
    private let queue: AsyncQueue<LinkConnection>

    private init(
        channel: any Channel, endpoint: Endpoint, limiter: ConnectionLimiter, queue: AsyncQueue<LinkConnection>
    ) {
        self.channel = channel
        localEndpoint = endpoint
        self.limiter = limiter
        self.queue = queue
    }

    deinit {
        stopListening()
    }

    /// The links that initiators begin, before they have said who they are. The sequence ends with the listener.
    ///
    /// A link that nobody takes goes on, and ends when nobody answers its questions.
    public var connections: LinkConnections { LinkConnections(listener: self, queue: queue) }

    /// What the listener has taken on so far.
    public var counts: ListenerCounts { limiter.counts }

    /// Listens. A Unix socket's file is made, and removed in the end; one that is there is removed if nobody listens at it.
    /// `eventLoopGroup` is to outlive the listener and its links.
    /// - Throws: ``BindError``.
    public static func bind(
        to endpoint: Endpoint, configuration: LinkConfiguration, options: LinkOptions,
        limits: ListenerLimits = ListenerLimits(), eventLoopGroup: any EventLoopGroup
    ) async throws(BindError) -> LinkListener {
        let limiter = ConnectionLimiter(limits: limits)
        // The number of links bounds it already.
        let queue = AsyncQueue<LinkConnection>(watermarks: Watermarks(low: 0, high: .max))
        let acceptor = Acceptor(
            configuration: configuration, options: options, limits: limits, limiter: limiter, queue: queue)
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
                    // NIO's own waits a second when the process has no descriptors left.
                    try channel.pipeline.syncOperations.addHandlers([AcceptBackoffHandler(), rate])
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

    /// Stops: takes no more links, ends open sessions in good order, tells all others that the program ends, and aborts
    /// what is still there after `grace`. Returns when every link's transport is closed.
    ///
    /// Go on taking the links' events meanwhile. A second call waits as the first. When the task is cancelled, the grace is
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

/// The links that a listener takes.
public struct LinkConnections: AsyncSequence, Sendable {
    // Keeps the listener: a dropped listener stops.
    let listener: LinkListener
    let queue: AsyncQueue<LinkConnection>

    public func makeAsyncIterator() -> Iterator { Iterator(listener: listener, queue: queue) }

    /// Takes links one by one.
    public struct Iterator: AsyncIteratorProtocol {
        let listener: LinkListener
        let queue: AsyncQueue<LinkConnection>

        /// The next link, or nil at the end.
        public mutating func next() async -> LinkConnection? { await queue.next() }

        /// The next link, or nil at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> LinkConnection? {
            await queue.next(isolation: actor)
        }
    }
}
