import MultipeerNIO
import NIOCore
import NIOPosix

/// Passes connections on to a port of this host, from another loopback address: its client comes from there.
final class Relay: Sendable {
    private let channel: any Channel
    /// Where to connect instead.
    let address: Endpoint

    init(from source: String, to port: Int) throws {
        let source = try SocketAddress(ipAddress: source, port: 0)
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { inner in
                ClientBootstrap(group: inner.eventLoop).bind(to: source)
                    .channelInitializer { outer in
                        inner.eventLoop.makeCompletedFuture {
                            try outer.pipeline.syncOperations.addHandler(Forwarder(to: inner))
                            try inner.pipeline.syncOperations.addHandler(Forwarder(to: outer))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port).map { _ in }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        address = .tcp(host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
    }

    deinit { channel.close(promise: nil) }
}

/// Passes on what one end of a relay reads.
private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel

    init(to other: any Channel) { self.other = other }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
