import MultipeerNIO
import NIOCore
import NIOPosix
import Synchronization

/// Passes connections on to a port of this host, from another loopback address: its client comes from there.
final class Relay: Sendable {
    private let channel: any Channel
    private let tap = Tap()
    /// Where to connect instead.
    let address: Endpoint

    init(from source: String = "127.0.0.1", to port: Int) throws {
        let source = try SocketAddress(ipAddress: source, port: 0)
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [tap] inner in
                ClientBootstrap(group: inner.eventLoop).bind(to: source)
                    .channelInitializer { outer in
                        inner.eventLoop.makeCompletedFuture {
                            try outer.pipeline.syncOperations.addHandler(Forwarder(to: inner, through: tap))
                            try inner.pipeline.syncOperations.addHandler(Forwarder(to: outer, through: tap))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port).map { _ in }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        address = .tcp(host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
    }

    deinit { channel.close(promise: nil) }

    /// From now on nothing passes, in either direction, until it is opened again.
    func shut() { tap.state.withLock { $0.isShut = true } }

    /// What was held back continues on its way.
    func open() {
        let waiting = tap.state.withLock { state in
            defer { state = Tap.State() }
            return state.waiting
        }
        for release in waiting { release() }
    }

    /// Whether bytes wait.
    var isHolding: Bool { tap.state.withLock { !$0.waiting.isEmpty } }

    /// Whether bytes pass, in both directions.
    final class Tap: Sendable {
        struct State {
            var isShut = false
            var waiting: [@Sendable () -> Void] = []
        }

        let state = Mutex(State())

        /// Holds back, if it is shut, what `release` lets go.
        func holds(_ release: @escaping @Sendable () -> Void) -> Bool {
            state.withLock { state in
                if state.isShut { state.waiting.append(release) }
                return state.isShut
            }
        }
    }
}

/// Passes on what one end of a relay reads.
private final class Forwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let tap: Relay.Tap
    private var held = ByteBuffer()

    init(to other: any Channel, through tap: Relay.Tap) { (self.other, self.tap) = (other, tap) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        let bound = NIOLoopBound(self, eventLoop: other.eventLoop)
        // What has been released and has not gone yet goes first.
        guard held.readableBytes > 0 || tap.holds({ bound.eventLoop.execute { bound.value.release() } }) else {
            return other.writeAndFlush(bytes, promise: nil)
        }
        held.writeBuffer(&bytes)
    }

    private func release() {
        other.writeAndFlush(held, promise: nil)
        held = ByteBuffer()
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
