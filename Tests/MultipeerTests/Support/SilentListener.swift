import NIOCore
import NIOPosix
import Synchronization

/// Takes connections on loopback, and says nothing.
final class SilentListener: Sendable {
    private let channel: any Channel
    let port: UInt16
    private let count = Count()

    init() throws {
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { [count] channel in
                count.accepted.add(1, ordering: .relaxed)
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).wait()
        port = UInt16(channel.localAddress?.port ?? 0)
    }

    deinit { channel.close(promise: nil) }

    /// How many connections it has taken.
    var accepted: Int { count.accepted.load(ordering: .relaxed) }

    private final class Count: Sendable {
        let accepted = Atomic(0)
    }
}
