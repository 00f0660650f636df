import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension BindError {
    /// Translates an error of NIO's binding.
    init(_ error: any Error) {
        switch error {
        case let error as BindError: self = error
        case let error as IOError: self.init(errno: error.errnoCode)
        case is SocketAddressError.UnknownHost: self = .resolutionFailed
        case is SocketAddressError: self = .invalidEndpoint
        case is UnixDomainSocketPathWrongType: self = .pathOccupied
        default: self = .system(errno: 0)
        }
    }

    private init(errno code: Int32) {
        switch code {
        case EADDRINUSE: self = .addressInUse
        case EADDRNOTAVAIL: self = .addressUnavailable
        case EACCES, EPERM, EROFS: self = .notPermitted
        case ENOENT, ENOTDIR: self = .noSuchFolder
        default: self = .system(errno: code)
        }
    }
}
