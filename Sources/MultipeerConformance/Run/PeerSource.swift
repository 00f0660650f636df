public import MultipeerScriptedPeer

/// Where connections to the live peer come from.
public protocol PeerSource: Sendable {
    /// The tester's end of the streams.
    var role: StreamRole { get }

    /// Returns a new connection to the live peer.
    /// - Throws: ``NetworkError``.
    func open(until deadline: Deadline) throws(NetworkError) -> TCPStream

    /// Returns another connection to the peer that the last one was to, which has not ended.
    /// - Throws: ``NetworkError``.
    func openAgain(until deadline: Deadline) throws(NetworkError) -> TCPStream

    /// Tells the source that the last connection is no longer needed.
    func release()
}

extension PeerSource {
    public func openAgain(until deadline: Deadline) throws(NetworkError) -> TCPStream { try open(until: deadline) }
}

/// Connects to a live peer that listens. The tester is the initiator.
public struct ConnectingSource: PeerSource {
    private let host: String
    private let port: UInt16

    /// A name or an address, and a TCP port.
    public init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    public var role: StreamRole { .initiator }

    public func open(until deadline: Deadline) throws(NetworkError) -> TCPStream {
        try TCPStream.connect(host: host, port: port, until: deadline)
    }

    public func release() {}
}

/// Starts the live peer for one connection.
public protocol PeerLauncher: Sendable {
    /// Starts a peer that connects to the tester at this port.
    func launch(port: UInt16)

    /// Tells the launcher that the connection is no longer needed, and that the peer may end.
    func finish()
}

/// Waits for a live peer that connects. The tester is the responder.
public final class ListeningSource: PeerSource {
    private let listener: TCPListener
    private let launcher: (any PeerLauncher)?

    /// Without a launcher, the peer connects by itself, again and again.
    public init(listener: TCPListener, launcher: (any PeerLauncher)?) {
        self.listener = listener
        self.launcher = launcher
    }

    public var role: StreamRole { .responder }

    public func open(until deadline: Deadline) throws(NetworkError) -> TCPStream {
        launcher?.launch(port: listener.port)
        return try openAgain(until: deadline)
    }

    /// The peer that was launched comes by itself.
    public func openAgain(until deadline: Deadline) throws(NetworkError) -> TCPStream {
        try listener.accept(until: deadline)
    }

    public func release() { launcher?.finish() }
}
