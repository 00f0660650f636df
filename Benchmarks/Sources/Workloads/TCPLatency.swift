import CReference

/// Round trips of a message of 64 bytes over a bare TCP connection, in nanoseconds each.
public final class TCPLatency {
    private let pair: OpaquePointer

    public init() throws {
        guard let pair = tcp_latency_create() else { throw WorkloadFailure.reference(-1) }
        self.pair = pair
    }

    deinit { tcp_latency_free(pair) }

    /// `count` round trips, one after the other.
    public func alone(_ count: Int) throws -> [Double] { try run(count, hasFile: false, queued: 0) }

    /// The same while a file goes over the connection, of which `queued` bytes are before each message, beside those that the
    /// socket holds.
    public func behindFile(_ count: Int, queued: Int) throws -> [Double] {
        try run(count, hasFile: true, queued: queued)
    }

    private func run(_ count: Int, hasFile: Bool, queued: Int) throws -> [Double] {
        var samples = [Double](repeating: 0, count: count)
        let status = tcp_latency_run(pair, hasFile ? 1 : 0, UInt64(queued), &samples, count)
        guard status == 0 else { throw WorkloadFailure.reference(status) }
        return samples
    }
}
