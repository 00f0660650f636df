import Glibc

/// Packets to and from the host of a peer (SPEC §26), which wait for nothing longer than a deadline.
struct UDPSocket: ~Copyable {
    private let socket: SocketDescriptor
    private var peer: ResolvedAddress
    /// Where it takes packets.
    let port: UInt16

    init(at local: borrowing ResolvedAddress, peer: consuming ResolvedAddress) throws(NetworkError) {
        let made = try SocketDescriptor.udp(local.family)
        try made.bind(to: local)
        port = try made.localPort()
        socket = made
        self.peer = peer
    }

    /// From now on packets go to this port of the peer's host, and come from there.
    mutating func connect(to port: UInt16, until deadline: Deadline) throws(NetworkError) {
        peer.port = port
        try socket.connect(peer, until: deadline)
    }

    /// The same for the port from which the first packet comes. It is still there.
    mutating func connectToSender(until deadline: Deadline) throws(NetworkError) {
        try socket.wait(for: POLLIN, until: deadline)
        try connect(to: try socket.address(of: .sender).port, until: deadline)
    }

    func send(_ packet: [UInt8]) throws(NetworkError) { _ = try socket.send(packet, from: 0) }

    func receive(until deadline: Deadline) throws(NetworkError) -> [UInt8] {
        while true {
            try socket.wait(for: POLLIN, until: deadline)
            if let packet = try socket.receive() { return packet }
        }
    }
}
