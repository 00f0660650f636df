import MultipeerCertificates
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
        options.origin = PeerAddress(endpoint.description).map(PeerOrigin.dialled)
        let dialling = options
        return try await connect(to: endpoint, eventLoopGroup: eventLoopGroup, timeout: timeout) { channel in
            try LinkConnection.install(on: channel, role: .initiator, configuration: configuration, options: dialling)
        }
    }

    static func connect(
        to endpoint: Endpoint, eventLoopGroup: any EventLoopGroup, timeout: Duration,
        makeLink: @escaping @Sendable (any Channel) throws -> LinkConnection
    ) async throws(ConnectError) -> LinkConnection {
        guard !Task.isCancelled else { throw .cancelled }
        let bootstrap = bootstrap(eventLoopGroup, timeout: timeout)
        let connected =
            switch endpoint {
            case .tcp(let host, let port) where (1...65_535).contains(port) && !host.isEmpty:
                withTCPOptions(bootstrap).connect(host: host, port: port)
            case .tcp: throw .invalidEndpoint
            case .unixSocket(let path): bootstrap.connect(unixDomainSocketPath: path)
            }
        let connection: LinkConnection
        do {
            connection = try await connected.flatMap { channel in install(on: channel, makeLink) }.get()
        } catch {
            throw ConnectError(error)
        }
        guard !Task.isCancelled else {
            connection.abort()
            throw .cancelled
        }
        return connection
    }

    /// What all connections have in common.
    static func bootstrap(_ group: any EventLoopGroup, timeout: Duration) -> ClientBootstrap {
        ClientBootstrap(group: group)
            .connectTimeout(TimeAmount(clamping: timeout))
            // Nothing may be read before the handler is in the pipeline.
            .channelOption(.autoRead, value: false)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelOption(.recvAllocator, value: ReadOptions.allocator)
            .channelOption(.maxMessagesPerRead, value: ReadOptions.readsPerTurn)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.setCloseOnExec() }
            }
    }

    static func withTCPOptions(_ bootstrap: ClientBootstrap) -> ClientBootstrap {
        bootstrap.channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.socketOption(.so_keepalive), value: 1)
    }

    /// Puts a link into a connected channel, and lets it read.
    static func install(
        on channel: any Channel, _ makeLink: (any Channel) throws -> LinkConnection
    ) -> EventLoopFuture<LinkConnection> {
        do {
            let connection = try makeLink(channel)
            return channel.setOption(.autoRead, value: true).map { connection }
        } catch {
            return channel.eventLoop.makeFailedFuture(error)
        }
    }
}
