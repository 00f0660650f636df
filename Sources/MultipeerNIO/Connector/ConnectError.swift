/// The reason why a connection could not be made.
@nonexhaustive
public enum ConnectError: Error, Hashable, Sendable {
    /// The endpoint is not valid for connecting: port 0, or a path that is too long for a Unix socket.
    case invalidEndpoint
    /// The name has no address.
    case resolutionFailed
    /// The address cannot be reached.
    case unreachable(Unreachability)
    /// The attempt took too long.
    case timedOut
    /// The task was cancelled.
    case cancelled
}

/// The reason why an address cannot be reached.
@nonexhaustive
public enum Unreachability: Hashable, Sendable {
    /// Nobody listens there.
    case refused
    /// There is no route to the network or the host.
    case noRoute
    /// The Unix socket does not exist.
    case noSuchSocket
    /// The file system or a firewall of this host forbids the connection.
    case notPermitted
    /// The operating system reported another `errno`, or 0 if it reported none.
    case system(errno: Int32)
}
