import MultipeerNIO
import MultipeerWire
import NIOCore
import NIOPosix
import Synchronization

/// Passes a connection on, and holds back what the client sends after its PEER_INFO until it is released: its INVITE is
/// on its way for as long.
final class HoldingRelay: Sendable {
    private let channel: any Channel
    private let held = Held()
    /// Where to connect instead.
    let address: Endpoint

    init(to port: Int) throws {
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [held] inner in
                ClientBootstrap(group: inner.eventLoop)
                    .channelInitializer { outer in
                        inner.eventLoop.makeCompletedFuture {
                            try outer.pipeline.syncOperations.addHandler(HoldingForwarder(to: inner, holding: nil))
                            try inner.pipeline.syncOperations.addHandler(HoldingForwarder(to: outer, holding: held))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port).map { _ in }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        address = .tcp(host: "127.0.0.1", port: channel.localAddress?.port ?? 0)
    }

    deinit { channel.close(promise: nil) }

    /// Whether the client has sent what is held back.
    var isHolding: Bool { held.state.withLock { $0.release != nil } }

    /// What was held back continues on its way.
    func release() { held.state.withLock { $0.release.take() }?() }

    /// What is held back of the one connection.
    final class Held: Sendable {
        let state = Mutex(State())

        struct State {
            var release: (@Sendable () -> Void)?
        }
    }
}

/// Passes on what one end reads; of the client at once two records: HELLO, and PROOF with PEER_INFO.
private final class HoldingForwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    /// Where what is held back is noted; nil if nothing is.
    private let holding: HoldingRelay.Held?
    /// How many records pass at once.
    private var records = 2
    private var held = ByteBuffer()
    private var isMagicOver = false
    private var isReleased = false

    init(to other: any Channel, holding: HoldingRelay.Held?) {
        self.other = other
        self.holding = holding
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard holding != nil, !isReleased else { return other.writeAndFlush(bytes, promise: nil) }
        held.writeBuffer(&bytes)
        while let record = nextRecord() { other.writeAndFlush(record, promise: nil) }
        if records == 0, held.readableBytes > 0 { hold() }
    }

    private func nextRecord() -> ByteBuffer? {
        let magic = isMagicOver ? 0 : Magic.bytes.count
        guard records > 0,
            let length = held.getInteger(at: held.readerIndex + magic + 1, as: UInt16.self),
            let record = held.readSlice(length: magic + RecordHeader.length + Int(length))
        else { return nil }
        (isMagicOver, records) = (true, records - 1)
        return record
    }

    private func hold() {
        let bound = NIOLoopBound(self, eventLoop: other.eventLoop)
        holding?.state.withLock { state in
            state.release = { bound.eventLoop.execute { bound.value.release() } }
        }
    }

    private func release() {
        isReleased = true
        other.writeAndFlush(held, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
