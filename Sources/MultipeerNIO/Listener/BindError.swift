/// Why a listener cannot listen.
@nonexhaustive
public enum BindError: Error, Hashable, Sendable {
    /// The endpoint names nothing that one can listen at: an impossible port, or a path too long for a Unix socket.
    case invalidEndpoint
    /// The name has no address.
    case resolutionFailed
    /// Someone listens there.
    case addressInUse
    /// The address is not one of this host's.
    case addressUnavailable
    /// The system forbids it: a low port, a folder without write permission.
    case notPermitted
    /// The folder of the Unix socket does not exist.
    case noSuchFolder
    /// Something else than a socket is at the path, and stays.
    case pathOccupied
    /// Another error of the operating system, by its `errno`; 0 when it told none.
    case system(errno: Int32)
}
