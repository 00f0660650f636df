import MultipeerTestSupport
import NIOCore
import NIOPosix
import Testing

@testable import MultipeerNIO

@Suite("UDP sockets of links", .endsIfItHangs)
struct DatagramSocketTests {
    private static let loop = MultiThreadedEventLoopGroup.singleton.next()

    private static func onLoop<Result: Sendable>(_ work: @escaping @Sendable () -> Result) async throws -> Result {
        try await loop.submit(work).get()
    }

    /// A socket, and its port.
    private static func open(
        at address: SocketAddress, _ clock: ManualClock = ManualClock()
    ) async throws -> (NIOLoopBound<DatagramSocket>, UInt16?) {
        let socket = try await onLoop {
            NIOLoopBound(DatagramSocket(at: address, LoopClock(clock, on: loop), on: loop), eventLoop: loop)
        }
        let port: UInt16? = await withCheckedContinuation { continuation in
            loop.execute { socket.value.whenBound { continuation.resume(returning: $0) } }
        }
        return (socket, port)
    }

    @Test(
        "It takes the port of the listener, if that is free, and another one if not", arguments: ["127.0.0.1", "::1"])
    func ports(host: String) async throws {
        let (first, port) = try await Self.open(at: try SocketAddress(ipAddress: host, port: 0))
        let taken = try #require(port)
        let (second, other) = try await Self.open(at: try SocketAddress(ipAddress: host, port: Int(taken)))
        #expect(try #require(other) != taken)
        try await Self.onLoop { for socket in [first, second] { socket.value.close() } }
        // A closed one leaves its port to others.
        let (third, again) = try await Self.open(at: try SocketAddress(ipAddress: host, port: Int(taken)))
        #expect(again == taken)
        try await Self.onLoop { third.value.close() }
    }

    @Test("At an address that is not the host's there is none")
    func nowhere() async throws {
        // For documentation (RFC 5737), so that no host has it.
        let (_, port) = try await Self.open(at: try SocketAddress(ipAddress: "192.0.2.1", port: 50_001))
        #expect(port == nil)
    }

    @Test("A socket that an error of the network has closed is open again a second later, at the same port")
    func reopened() async throws {
        let clock = ManualClock()
        let (socket, port) = try await Self.open(at: try SocketAddress(ipAddress: "127.0.0.1", port: 0), clock)
        // From a loopback address no packet leaves the host, so the system refuses it.
        let elsewhere = try SocketAddress(ipAddress: "192.0.2.1", port: 50_001)
        try await Self.onLoop {
            socket.value.write([1], to: elsewhere)
            socket.value.flush()
        }
        try await eventually { clock.isAwaited(in: .seconds(1)) }
        clock.advance(by: .seconds(1))
        let receiver = try await DatagramBootstrap(group: Self.loop).channelInitializer { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(Counter()) }
        }.bind(host: "127.0.0.1", port: 0).get()
        let here = try #require(receiver.localAddress)
        try await eventually {
            let source = try? await Self.onLoop { () -> Int? in
                socket.value.write([1], to: here)
                socket.value.flush()
                return try? receiver.pipeline.syncOperations.handler(type: Counter.self).source
            }
            return source == port.map(Int.init)
        }
        try await receiver.close()
        try await Self.onLoop { socket.value.close() }
    }
}

/// Knows the port from which the last packet came.
private final class Counter: ChannelInboundHandler {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    private(set) var source: Int?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        source = Self.unwrapInboundIn(data).remoteAddress.port
    }
}
