import NIOCore
import NIOPosix

/// Takes connections on loopback, and says nothing.
final class SilentListener: Sendable {
    private let channel: any Channel
    let port: UInt16

    init() throws {
        channel = try ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton).bind(host: "127.0.0.1", port: 0)
            .wait()
        port = UInt16(channel.localAddress?.port ?? 0)
    }

    deinit { channel.close(promise: nil) }
}
