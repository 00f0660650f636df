import MultipeerWire
import NIOCore
import NIOPosix

/// Passes a connection on, and holds back what the client sends behind its PEER_INFO for a time: its INVITE is on its way for as long.
final class HoldingRelay: Sendable {
    private let channel: any Channel
    /// Where to connect instead.
    let address: String

    init(to port: Int, holdingFor time: TimeAmount) throws {
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { inner in
                ClientBootstrap(group: inner.eventLoop)
                    .channelInitializer { outer in
                        inner.eventLoop.makeCompletedFuture {
                            try outer.pipeline.syncOperations.addHandler(HoldingForwarder(to: inner, records: nil))
                            try inner.pipeline.syncOperations.addHandler(
                                HoldingForwarder(to: outer, records: 2, holdingFor: time))
                        }
                    }
                    .connect(host: "127.0.0.1", port: port).map { _ in }
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        address = "127.0.0.1:\(channel.localAddress?.port ?? 0)"
    }

    deinit { channel.close(promise: nil) }
}

/// Passes on what one side reads; of the client at once two records: HELLO, and PROOF with PEER_INFO.
private final class HoldingForwarder: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let time: TimeAmount
    /// How many records pass at once; nil for all.
    private var records: Int?
    private var held = ByteBuffer()
    private var isMagicOver = false
    private var isReleased = false

    init(to other: any Channel, records: Int?, holdingFor time: TimeAmount = .zero) {
        self.other = other
        self.records = records
        self.time = time
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var bytes = unwrapInboundIn(data)
        guard records != nil, !isReleased else { return other.writeAndFlush(bytes, promise: nil) }
        held.writeBuffer(&bytes)
        while let record = nextRecord() { other.writeAndFlush(record, promise: nil) }
    }

    private func nextRecord() -> ByteBuffer? {
        let magic = isMagicOver ? 0 : Magic.bytes.count
        guard let left = records, left > 0,
            let length = held.getInteger(at: held.readerIndex + magic + 1, as: UInt16.self),
            let record = held.readSlice(length: magic + RecordHeader.length + Int(length))
        else { return nil }
        (isMagicOver, records) = (true, left - 1)
        if left == 1 { expectRelease() }
        return record
    }

    private func expectRelease() {
        other.eventLoop.assumeIsolated().scheduleTask(in: time) {
            self.isReleased = true
            self.other.writeAndFlush(self.held, promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
}
