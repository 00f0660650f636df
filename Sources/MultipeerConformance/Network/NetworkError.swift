/// Why a socket operation failed.
public enum NetworkError: Error, Hashable, Sendable {
    /// The deadline passed first.
    case timedOut
    /// No address belongs to the host's name.
    case unknownHost
    /// The system refused, with this number.
    case system(errno: Int32)
}
