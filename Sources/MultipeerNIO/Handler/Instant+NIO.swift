import MultipeerCore
import NIOCore

extension Instant {
    /// Creates an instant from NIO's monotonic clock.
    init(_ deadline: NIODeadline) {
        self.init(nanoseconds: deadline.uptimeNanoseconds)
    }
}

extension NIODeadline {
    /// Creates a deadline. Instants beyond NIO's time become its end.
    init(_ instant: Instant) {
        self = .uptimeNanoseconds(min(instant.nanoseconds, UInt64(Int64.max)))
    }
}
