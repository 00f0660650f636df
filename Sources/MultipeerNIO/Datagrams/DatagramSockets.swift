import NIOCore

/// The UDP sockets of a node, on its event loop: one for each address at which its links are, as long as one of them uses it.
final class DatagramSockets {
    let clock: LoopClock
    private let eventLoop: any EventLoop
    private var sockets: [SocketAddress: (socket: DatagramSocket, users: Int)] = [:]

    init(_ clock: LoopClock, on eventLoop: any EventLoop) { (self.clock, self.eventLoop) = (clock, eventLoop) }

    /// The socket at a local address, for one more link.
    func join(at address: SocketAddress) -> DatagramSocket {
        let socket = sockets[address]?.socket ?? DatagramSocket(at: address, clock, on: eventLoop)
        sockets[address] = (socket, (sockets[address]?.users ?? 0) + 1)
        return socket
    }

    /// A link needs its socket no more.
    func leave(_ address: SocketAddress) {
        guard let (socket, users) = sockets[address] else { return }
        sockets[address] = users > 1 ? (socket, users - 1) : nil
        if users <= 1 { socket.close() }
    }
}
