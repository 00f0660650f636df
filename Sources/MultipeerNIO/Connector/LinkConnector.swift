public import MultipeerCore
public import NIOCore
import NIOPosix

/// Connects to listeners.
public enum LinkConnector {
    /// Connects, and begins a link as its initiator. Returns when the transport is connected. The events show the
    /// handshake, whose deadline is in `configuration`.
    ///
    /// If a name has several addresses, the first one that answers is used (RFC 8305). `eventLoopGroup` must outlive
    /// the link, because requests to a loop that has been shut down are never answered.
    /// - Throws: ``ConnectError``.
    public static func connect(
        to endpoint: Endpoint, configuration: LinkConfiguration, options: LinkOptions,
        eventLoopGroup: any EventLoopGroup, timeout: Duration = .seconds(10)
    ) async throws(ConnectError) -> LinkConnection {
        var options = options
        options.origin = endpoint.dialledOrigin
        let dialling = options
        return try await connect(to: endpoint, eventLoopGroup: eventLoopGroup, timeout: timeout) { channel in
            let connection = try LinkConnection.install(
                on: channel, role: .initiator, configuration: configuration, options: dialling)
            return (connection, ())
        }.0
    }

    /// The same with a link that `makeLink` makes on the event loop, and with what it knows of it.
    static func connect<Known: Sendable>(
        to endpoint: Endpoint, eventLoopGroup: any EventLoopGroup, timeout: Duration,
        makeLink: @escaping @Sendable (any Channel) throws -> (LinkConnection, Known)
    ) async throws(ConnectError) -> (LinkConnection, Known) {
        guard !Task.isCancelled else { throw .cancelled }
        let bootstrap = bootstrap(eventLoopGroup, timeout: timeout)
        let connected =
            switch endpoint {
            case .tcp(let host, let port) where (1...65_535).contains(port) && !host.isEmpty:
                withTCPOptions(bootstrap).connect(host: host, port: port)
            case .tcp: throw .invalidEndpoint
            case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        let made: (LinkConnection, Known)
        do {
            made = try await connected.flatMap { channel in install(on: channel, makeLink) }.get()
        } catch {
            throw ConnectError(error)
        }
        guard !Task.isCancelled else {
            made.0.abort()
            throw .cancelled
        }
        return made
    }

    /// What all connections have in common. `onOpen` gets the channel before it connects.
    static func bootstrap(
        _ group: any EventLoopGroup, timeout: Duration, onOpen: @escaping @Sendable (any Channel) -> Void = { _ in }
    ) -> ClientBootstrap {
        ClientBootstrap(group: group)
            .connectTimeout(TimeAmount(clamping: timeout))
            // Nothing may be read before the handler is in the pipeline.
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.recvAllocator, value: ReadOptions.allocator)
            .channelOption(.maxMessagesPerRead, value: ReadOptions.readsPerTurn)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.setCloseOnExec()
                    onOpen(channel)
                }
            }
    }

    static func withTCPOptions(_ bootstrap: ClientBootstrap) -> ClientBootstrap {
        bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
    }

    /// Puts a link into a connected channel, and lets it read.
    static func install<Made: Sendable>(
        on channel: any Channel, _ makeLink: (any Channel) throws -> Made
    ) -> EventLoopFuture<Made> {
        do {
            let made = try makeLink(channel)
            return channel.setOption(.autoRead, value: true).map { made }
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }
}
