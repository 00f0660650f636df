import NIOCore

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#elseif canImport(Darwin)
    import Darwin
#endif

/// Pauses a server channel when the system has no descriptor or memory for another connection, and before the last descriptors are taken.
///
/// Strangers must not take the last ones: libdispatch ends a process in which its monitor of threads cannot open a file
/// (`_dispatch_workq_monitor_pools`, swift-corelibs-libdispatch of Swift 6.3).
///
/// A failed accept leaves the connection in the system's queue, so the socket stays readable. NIO (2.101) keeps it
/// registered, and its `AcceptBackoffHandler` only delays reads, of which none is due: the loop fails to accept as fast as it
/// can. Without `autoRead` the socket is not registered.
final class AcceptPauseHandler: ChannelInboundHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel

    /// How long the channel waits. Descriptors come back when links end, and nothing reports that.
    static let pause: TimeAmount = .milliseconds(500)

    private var resumption: Scheduled<Void>?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if DescriptorLimit.isNear { pause(context) }
        context.fireChannelRead(data)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? IOError, Self.isShortage(error.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        pause(context)
    }

    private func pause(_ context: ChannelHandlerContext) {
        guard resumption == nil else { return }
        setAutoRead(false, context)
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        resumption = context.eventLoop.scheduleTask(in: Self.pause) {
            let (handler, context) = bound.value
            handler.resumption = nil
            DescriptorLimit.isNear ? handler.pause(context) : handler.setAutoRead(true, context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        resumption?.cancel()
        resumption = nil
    }

    private func setAutoRead(_ value: Bool, _ context: ChannelHandlerContext) {
        // A channel that has been closed meanwhile needs no option.
        try? context.channel.syncOptions?.setOption(.autoRead, value: value)
    }

    private static func isShortage(_ code: Int32) -> Bool {
        [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(code)
    }
}
