import MultipeerCore
import MultipeerNIO
import MultipeerSodium
import MultipeerTesting
import NIOCore
import NIOPosix

/// The remote end of a socket, byte by byte in the test's hand.
struct RawSocket: Sendable {
    let channel: any Channel
    private let incoming: AsyncStream<[UInt8]>

    /// Connects. Reads only when asked, if `reads` is false. The system buffers about `receiveBuffer` bytes.
    init(to endpoint: Endpoint, reads: Bool = true, receiveBuffer: Int? = nil) async throws {
        let (stream, continuation) = AsyncStream<[UInt8]>.makeStream()
        incoming = stream
        var bootstrap = ClientBootstrap(group: Nodes.group)
            .channelOption(.autoRead, value: reads)
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            .channelOption(.allowRemoteHalfClosure, value: true)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(Collector(continuation: continuation))
                }
            }
        if let receiveBuffer {
            bootstrap = bootstrap.channelOption(
                .socketOption(.so_rcvbuf), value: SocketOptionValue(receiveBuffer))
        }
        guard case .tcp(let host, let port) = endpoint else { throw EndpointSyntaxError.missingHost }
        channel = try await bootstrap.connect(host: host, port: port).get()
    }

    func send(_ bytes: [UInt8]) async throws {
        try await channel.writeAndFlush(ByteBuffer(bytes: bytes))
    }

    /// The next bytes; empty at the end of the stream.
    func receive() async -> [UInt8] {
        for await bytes in incoming { return bytes }
        return []
    }

    /// All bytes until the remote peer ends its stream.
    func receiveAll() async -> [UInt8] {
        var all: [UInt8] = []
        for await bytes in incoming { all += bytes }
        return all
    }

    /// FIN in good order.
    func close() async throws { try await channel.close() }

    /// RST: the system forgets what it has not sent, and says so.
    func reset() async throws { try await channel.reset() }

    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let continuation: AsyncStream<[UInt8]>.Continuation

        init(continuation: AsyncStream<[UInt8]>.Continuation) {
            self.continuation = continuation
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            continuation.yield(Array(Self.unwrapInboundIn(data).readableBytesView))
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if let event = event as? ChannelEvent, event == .inputClosed { continuation.finish() }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

        func handlerRemoved(context: ChannelHandlerContext) { continuation.finish() }
    }
}

extension Channel {
    /// Closes by RST.
    func reset() async throws {
        try await (self as? any SocketOptionProvider)?.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
        try await close()
    }
}

/// A whole peer over a raw socket: the sans-IO link, driven by hand.
final class RawPeer {
    let socket: RawSocket
    var peer: SimulatedPeer
    /// How many bytes a write carries.
    var pieces = Int.max

    init(to endpoint: Endpoint, reads: Bool = true, receiveBuffer: Int? = nil) async throws {
        socket = try await RawSocket(to: endpoint, reads: reads, receiveBuffer: receiveBuffer)
        peer = try Self.inviting()
    }

    private static func inviting() throws -> SimulatedPeer {
        var link = Link(
            role: .initiator, configuration: try Nodes.anna(), random: Nodes.sodium.random, now: RawPeer.now)
        try link.invite(Nodes.invitation, at: RawPeer.now)
        return SimulatedPeer(link: link)
    }

    static var now: Instant { Instant(nanoseconds: NIODeadline.now().uptimeNanoseconds) }

    /// Sends all that the link has to say.
    func send() async throws {
        var rest = peer.transmit(at: RawPeer.now)[...]
        while !rest.isEmpty {
            try await socket.send(Array(rest.prefix(pieces)))
            rest = rest.dropFirst(pieces)
        }
    }

    /// Continues until `condition` holds of what the peer has seen, or the stream ends.
    func run(until condition: (borrowing SimulatedPeer) -> Bool) async throws {
        while !condition(peer) {
            try await send()
            if condition(peer) { return }
            let bytes = await socket.receive()
            guard !bytes.isEmpty else { return peer.link.receiveEnd(at: RawPeer.now) }
            peer.link.receive(bytes.span, at: RawPeer.now)
            peer.drain(at: RawPeer.now)
        }
        try await send()
    }
}
