import MultipeerCore
import MultipeerWire
import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A UDP socket that several links share. The tag of a packet tells which one it is for (SPEC §26.3).
final class DatagramSocket {
    /// Called with the socket's port, or nil if there is none.
    typealias OnBound = (UInt16?) -> Void

    /// How long a socket lives at least before one that the system has closed is opened again.
    private static let pause: Duration = .seconds(1)
    /// How many packets one call reads.
    private static let burst = 16

    private var address: SocketAddress
    private let clock: LoopClock
    private let eventLoop: any EventLoop
    private var channel: (any Channel)?
    /// Nil until the first attempt to bind has ended.
    private var port: UInt16??
    private var waiting: [OnBound] = []
    private var links: [UInt64: DatagramCarrier] = [:]
    /// The links for which packets of this burst have come.
    private var touched: [UInt64] = []
    private var timer: LoopTimer?
    private var openedAt: Instant
    private var isOver = false

    /// - Parameter address: Where. If the port is taken, or packets may not come to it (R26.5-1), the system chooses another one.
    init(at address: SocketAddress, _ clock: LoopClock, on eventLoop: any EventLoop) {
        (self.address, self.clock, self.eventLoop) = (address, clock, eventLoop)
        openedAt = clock.now
        if let port = address.port, !DatagramExchange.mayReach(UInt16(clamping: port)) { self.address.port = 0 }
        bind()
    }

    /// Calls `body` once it is known whether there is a socket, on the event loop.
    func whenBound(_ body: @escaping OnBound) {
        guard let port else { return waiting.append(body) }
        body(port)
    }

    // MARK: Binding

    private func bind() {
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        Self.bootstrap(eventLoop, bound).bind(to: address).whenComplete { bound.value.finished($0) }
    }

    private static func bootstrap(
        _ eventLoop: any EventLoop, _ socket: NIOLoopBound<DatagramSocket>
    ) -> DatagramBootstrap {
        DatagramBootstrap(group: eventLoop)
            .channelOption(.datagramVectorReadMessageCount, value: burst)
            .channelOption(
                .recvAllocator,
                value: FixedSizeRecvByteBufferAllocator(capacity: burst * (DatagramHeader.maximumPacket + 1))
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.setCloseOnExec()
                    try channel.forbidFragments()
                    try channel.pipeline.syncOperations.addHandler(DatagramHandler(socket.value))
                }
            }
    }

    private func finished(_ result: Result<any Channel, any Error>) {
        guard case .success(let channel) = result, !isOver else {
            if case .success(let channel) = result { channel.close(promise: nil) }
            return failed()
        }
        self.channel = channel
        address.port = channel.localAddress?.port
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        channel.closeFuture.whenComplete { _ in bound.value.closed() }
        if port == nil { settle(address.port.flatMap { UInt16(exactly: $0) }) }
    }

    private func failed() {
        guard port == nil else { return reopenLater() }
        guard !isOver, address.port != 0 else { return settle(nil) }
        address.port = 0
        bind()
    }

    private func settle(_ port: UInt16?) {
        self.port = port
        let bodies = waiting
        waiting = []
        for body in bodies { body(port) }
    }

    /// The system has closed the socket, as SwiftNIO (2.101) does after any error of writing, such as a network that is away. It is
    /// opened again at the port that peers know, but not more often than once in a second. Until then packets are lost, and paths do what
    /// they do then.
    private func closed() {
        channel = nil
        reopenLater()
    }

    private func reopenLater() {
        guard !isOver, timer == nil else { return }
        let due = max(clock.now, openedAt.advanced(by: Self.pause))
        timer = clock.schedule(at: due) { [weak self] in
            guard let self else { return }
            (timer, openedAt) = (nil, clock.now)
            bind()
        }
    }

    /// No link needs the socket any more.
    func close() {
        isOver = true
        timer?.cancel()
        timer = nil
        channel?.close(promise: nil)
        channel = nil
    }

    // MARK: Packets

    /// Packets with the tag are the link's. False if another link has it.
    func add(_ link: DatagramCarrier, tag: UInt64) -> Bool {
        guard links[tag] == nil else { return false }
        links[tag] = link
        return true
    }

    func remove(_ tag: UInt64) { links[tag] = nil }

    /// Sends a packet, or drops it where the system takes none now.
    func write(_ packet: [UInt8], to address: SocketAddress) {
        guard let channel, channel.isWritable else { return }
        channel.write(AddressedEnvelope(remoteAddress: address, data: ByteBuffer(bytes: packet)), promise: nil)
    }

    func flush() { channel?.flush() }

    fileprivate func receive(_ envelope: AddressedEnvelope<ByteBuffer>) {
        guard let header = DatagramHeader(packet: envelope.data.readableBytesUInt8Span),
            links[header.tag]?.receive(envelope.data, from: envelope.remoteAddress, at: clock.now) == true,
            touched.last != header.tag
        else { return }
        touched.append(header.tag)
    }

    fileprivate func burstEnded() {
        let tags = touched
        touched = []
        for tag in tags { links[tag]?.burstEnded() }
    }
}

/// The end of the socket's pipeline.
private final class DatagramHandler: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private let socket: DatagramSocket

    init(_ socket: DatagramSocket) { self.socket = socket }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { socket.receive(Self.unwrapInboundIn(data)) }

    func channelReadComplete(context: ChannelHandlerContext) { socket.burstEnded() }

    /// Errors close the channel, or concern one packet.
    func errorCaught(context: ChannelHandlerContext, error: any Error) {}
}

extension Channel {
    /// Packets are not to be fragmented (SPEC §26.5).
    fileprivate func forbidFragments() throws {
        #if os(Linux)
            try pipeline.syncOperations.withUnsafeTransportIfAvailable(of: NIOBSDSocket.Handle.self) { socket in
                // One of the two fits the socket's family.
                var value = IP_PMTUDISC_DO
                let length = socklen_t(MemoryLayout<CInt>.size)
                for (level, option) in [(IPPROTO_IP, IP_MTU_DISCOVER), (IPPROTO_IPV6, IPV6_MTU_DISCOVER)] {
                    // SAFETY: the system reads one CInt during the call.
                    _ = unsafe setsockopt(socket, CInt(level), option, &value, length)
                }
            }
        #endif
    }
}
