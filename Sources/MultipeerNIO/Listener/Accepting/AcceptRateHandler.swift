import MultipeerCore
import NIOCore

/// A handler that bounds how fast a server channel accepts, by holding back its `read`. Connections wait in the
/// system's queue.
///
/// The channel must accept one connection for each read (`maxMessagesPerRead`).
final class AcceptRateHandler: ChannelDuplexHandler {
    typealias InboundIn = any Channel
    typealias InboundOut = any Channel
    typealias OutboundIn = Never
    typealias OutboundOut = Never

    private var bucket: TokenBucket
    private var pending: Scheduled<Void>?

    init(limits: ListenerLimits, now: NIODeadline) {
        bucket = TokenBucket(rate: limits.acceptsPerSecond, burst: limits.acceptBurst, now: Instant(now))
    }

    func read(context: ChannelHandlerContext) {
        guard pending == nil else { return }
        guard let delay = bucket.take(at: Instant(context.eventLoop.now)) else { return context.read() }
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        pending = context.eventLoop.scheduleTask(in: TimeAmount(clamping: delay)) {
            let (handler, context) = bound.value
            handler.pending = nil
            handler.read(context: context)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        pending?.cancel()
        pending = nil
    }
}
