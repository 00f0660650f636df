import MultipeerNIO
import NIOCore
import NIOPosix

/// A server of another protocol, which greets every client, or one that never accepts.
struct ForeignServer {
    private let channel: any Channel
    let endpoint: Endpoint

    init(greeting: [UInt8]) async throws {
        try await self.init(
            ServerBootstrap(group: Nodes.group).childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Greeter(greeting: greeting))
                }
            })
    }

    /// Lets connections wait in a short queue for ever.
    static func deaf() async throws -> ForeignServer {
        try await ForeignServer(
            ServerBootstrap(group: Nodes.group)
                .serverChannelOption(.autoRead, value: false)
                .serverChannelOption(.backlog, value: 0))
    }

    private init(_ bootstrap: ServerBootstrap) async throws {
        channel = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        endpoint = channel.localAddress.flatMap(Endpoint.init) ?? .tcp(host: "127.0.0.1", port: 0)
    }

    func close() async throws { try await channel.close() }

    private final class Greeter: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        typealias OutboundOut = ByteBuffer
        private let greeting: [UInt8]

        init(greeting: [UInt8]) {
            self.greeting = greeting
        }

        func channelActive(context: ChannelHandlerContext) {
            context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer(bytes: greeting)), promise: nil)
        }
    }
}
