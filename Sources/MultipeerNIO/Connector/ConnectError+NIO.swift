import NIOCore
import NIOPosix

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension ConnectError {
    /// Translates an error of NIO's connecting.
    init(_ error: any Error) {
        switch error {
        case let error as NIOConnectionError: self.init(connection: error)
        case let error as IOError: self.init(errno: error.errnoCode)
        case ChannelError.connectTimeout: self = .timedOut
        case is SocketAddressError: self = .invalidEndpoint
        default: self = .unreachable(.system(errno: 0))
        }
    }

    /// The first address's error says most. Errors of name resolution count only if no address was tried.
    private init(connection error: NIOConnectionError) {
        if let first = error.connectionErrors.first {
            self.init(first.error)
        } else if error.dnsAError != nil || error.dnsAAAAError != nil {
            self = .resolutionFailed
        } else {
            self = .timedOut
        }
    }

    private init(errno code: Int32) {
        switch code {
        case ECONNREFUSED: self = .unreachable(.refused)
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN: self = .unreachable(.noRoute)
        case ENOENT, ENOTDIR: self = .unreachable(.noSuchSocket)
        case EACCES, EPERM: self = .unreachable(.notPermitted)
        case ETIMEDOUT: self = .timedOut
        default: self = .unreachable(.system(errno: code))
        }
    }
}

extension TimeAmount {
    /// Creates an amount of at least a nanosecond and at most NIO's longest.
    init(clamping duration: Duration) {
        let (seconds, attoseconds) = duration.components
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        let (sum, farther) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
        // NIO adds this to its clock. A century leaves enough room.
        let longest: Int64 = 3_153_600_000_000_000_000
        self = .nanoseconds(overflow || farther ? longest : max(1, min(sum, longest)))
    }
}
