import Glibc

/// A TCP connection of one thread, which waits for nothing longer than a deadline.
public final class TCPStream: Sendable {
    private let socket: SocketDescriptor

    init(_ socket: consuming SocketDescriptor) {
        socket.set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)  // so that what is cut into pieces travels in pieces
        self.socket = socket
    }

    /// Connects to the first address of `host` that answers.
    /// - Throws: ``NetworkError``.
    public static func connect(host: String, port: UInt16, until deadline: Deadline) throws(NetworkError) -> TCPStream {
        try ResolvedAddress.first(of: host, port: port) { (address) throws(NetworkError) in
            let socket = try SocketDescriptor.tcp(address.family)
            try socket.connect(address, until: deadline)
            return TCPStream(socket)
        }
    }

    /// Sends all bytes. It is not an error here if the peer is gone. The next read reports that.
    /// - Throws: ``NetworkError/timedOut`` when the peer does not take them.
    public func send(_ bytes: [UInt8], until deadline: Deadline) throws(NetworkError) {
        var start = 0
        while start < bytes.count {
            do throws(NetworkError) {
                if let count = try socket.send(bytes, from: start) {
                    start += count
                } else {
                    try socket.wait(for: POLLOUT, until: deadline)
                }
            } catch {
                if error == .system(errno: EPIPE) || error == .system(errno: ECONNRESET) { return }
                throw error
            }
        }
    }

    /// Returns the next bytes, or nil at the end of the stream or after a reset.
    /// - Throws: ``NetworkError/timedOut``.
    public func receive(until deadline: Deadline) throws(NetworkError) -> [UInt8]? {
        while true {
            try socket.wait(for: POLLIN, until: deadline)
            do throws(NetworkError) {
                if let bytes = try socket.receive() { return bytes.isEmpty ? nil : bytes }
            } catch {
                if error == .system(errno: ECONNRESET) { return nil }
                throw error
            }
        }
    }

    /// A UDP socket at the local address of this connection.
    func makeDatagramSocket() throws(NetworkError) -> UDPSocket {
        var local = try socket.address(of: .local)
        local.port = 0
        return try UDPSocket(at: local, peer: try socket.address(of: .remote))
    }

    /// Ends the sending direction. Receiving continues.
    public func endSending() { socket.endSending() }
}

/// Accepts TCP connections.
public final class TCPListener: Sendable {
    private let socket: SocketDescriptor
    /// The address at which it listens.
    public let port: UInt16

    /// Listens at the first address of `host`. With port 0 the system chooses the port.
    /// - Throws: ``NetworkError``.
    public init(host: String, port: UInt16) throws(NetworkError) {
        socket = try ResolvedAddress.first(of: host, port: port) { (address) throws(NetworkError) in
            let socket = try SocketDescriptor.tcp(address.family)
            socket.set(SOL_SOCKET, SO_REUSEADDR, 1)
            try socket.listen(at: address)
            return socket
        }
        self.port = try socket.localPort()
    }

    /// The next connection.
    /// - Throws: ``NetworkError``.
    public func accept(until deadline: Deadline) throws(NetworkError) -> TCPStream {
        TCPStream(try socket.accept(until: deadline))
    }
}
