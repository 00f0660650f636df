/// The reason why a listener cannot listen.
@nonexhaustive
public enum BindError: Error, Hashable, Sendable {
    /// The endpoint is not valid for listening: an impossible port, or a path that is too long for a Unix socket.
    case invalidEndpoint
    /// The name has no address.
    case resolutionFailed
    /// Someone else listens there.
    case addressInUse
    /// The address does not belong to this host.
    case addressUnavailable
    /// The system forbids it, for example because of a low port or a folder without write permission.
    case notPermitted
    /// The folder of the Unix socket does not exist.
    case noSuchFolder
    /// Something other than a socket is at the path, and stays there.
    case pathOccupied
    /// The operating system reported another `errno`, or 0 if it reported none.
    case system(errno: Int32)
}
