import MultipeerNIO
import NIOCore
import NIOPosix

/// Connections that say nothing, for as long as this lives.
final class SilentSockets: Sendable {
    private let channels: [any Channel]

    /// Makes as many from each of several loopback addresses.
    init(_ count: Int, from sources: [String], to endpoint: Endpoint) throws {
        guard case .tcp(let host, let port) = endpoint else { throw EndpointSyntaxError.missingPort }
        channels = try sources.flatMap { source in
            try (0..<count).map { _ in
                try ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                    .bind(to: SocketAddress(ipAddress: source, port: 0))
                    .connect(host: host, port: port).wait()
            }
        }
    }

    deinit {
        for channel in channels { channel.close(promise: nil) }
    }
}
