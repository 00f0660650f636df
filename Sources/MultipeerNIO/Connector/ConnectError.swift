/// Why no connection came about.
@nonexhaustive
public enum ConnectError: Error, Hashable, Sendable {
    /// The endpoint names nothing that one can connect to: port 0, or a path that is too long for a Unix socket.
    case invalidEndpoint
    /// The name has no address.
    case resolutionFailed
    /// Nobody answers there.
    case unreachable(Unreachability)
    /// It took too long.
    case timedOut
    /// The task was cancelled.
    case cancelled
}

/// Why an address cannot be reached.
@nonexhaustive
public enum Unreachability: Hashable, Sendable {
    /// Nobody listens.
    case refused
    /// No way leads to the network or the host.
    case noRoute
    /// No such Unix socket.
    case noSuchSocket
    /// The file system or a firewall of this host forbids it.
    case notPermitted
    /// Another error of the operating system, by its `errno`; 0 when it told none.
    case system(errno: Int32)
}
