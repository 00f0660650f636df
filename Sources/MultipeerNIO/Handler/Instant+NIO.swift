import MultipeerCore
import NIOCore

extension Instant {
    /// NIO's monotonic clock.
    init(_ deadline: NIODeadline) {
        self.init(nanoseconds: deadline.uptimeNanoseconds)
    }
}

extension NIODeadline {
    /// The end of NIO's time for moments beyond it.
    init(_ instant: Instant) {
        self = .uptimeNanoseconds(min(instant.nanoseconds, UInt64(Int64.max)))
    }
}
