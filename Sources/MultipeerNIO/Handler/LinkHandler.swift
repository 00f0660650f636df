import Logging
import MultipeerCore
public import NIOCore

/// Runs one `Link` in a channel's pipeline: bytes come from the transport below, and go back to it.
///
/// Put it at the end of a pipeline whose other handlers turn the transport into `ByteBuffer`s of the link's stream, such as
/// WebSocket frames (`LinkConnection.install` does it, and returns the app's side). The
/// link begins when the channel is active.
///
/// - Outbound it writes while the channel is writable, and otherwise leaves the bytes unsealed in the link.
/// - Inbound it holds back `read` while the app lets events pile up, and never because its own writes wait (R15.2-1).
/// - It half-closes the transport when nothing more will be sent, and closes it when the link is finished.
public final class LinkHandler: ChannelDuplexHandler {
    public typealias InboundIn = ByteBuffer
    public typealias InboundOut = Never
    public typealias OutboundIn = Never
    public typealias OutboundOut = ByteBuffer

    var link: Link
    let events: HandoverBuffer<LinkEvent>
    let options: LinkOptions
    let eventLoop: any EventLoop
    /// Who wants to know how far the link has come; see ``LinkObserver``.
    var observer: (any LinkObserver)?
    /// Nil before the handler is in a pipeline, and after it.
    var context: ChannelHandlerContext?
    var isActive = false

    // Inbound
    /// A `read` that waits for the app.
    var isReadHeldBack = false
    var mayRead = true

    // Outbound
    let gate: SendGate
    /// The stage that the gate knows.
    var gateStage = LinkStage.hello
    var pump = PumpState()
    var ending = EndingState()

    /// The file that this side sends from a source, if one is under way.
    var sourcedFile: SourcedFile?

    // Time
    var alarm: (moment: Instant, task: Scheduled<Void>)?

    /// A link of `role` that begins now.
    init(
        role: LinkRole, configuration: LinkConfiguration, options: LinkOptions, eventLoop: any EventLoop,
        events: HandoverBuffer<LinkEvent>
    ) {
        self.options = options
        self.eventLoop = eventLoop
        self.events = events
        gate = SendGate(watermarks: options.sends)
        link = Link(role: role, configuration: configuration, random: options.random, now: Instant(eventLoop.now))
    }

    /// The time of the loop, which is virtual in tests.
    var now: Instant { Instant(eventLoop.now) }

    // MARK: Pipeline

    public func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        armAlarm()
        if context.channel.isActive { start() }
    }

    public func handlerRemoved(context: ChannelHandlerContext) {
        endInput()
        settle()
        self.context = nil
        alarm?.task.cancel()
        alarm = nil
        _ = gate.stop(.wrongStage(link.stage))
        dropSource()
        events.finish()
        observer?.linkEnded()
        observer = nil
    }

    public func channelActive(context: ChannelHandlerContext) {
        start()
        context.fireChannelActive()
    }

    public func channelInactive(context: ChannelHandlerContext) {
        isActive = false
        endInput()
        context.fireChannelInactive()
    }

    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What the transport says is for the log: the link sees the end of the stream, and calls it truncated.
        log("transport error", ["error": .string("\(error)")])
        endInput()
        if isActive { context.close(promise: nil) }
    }

    private func start() {
        guard !isActive else { return }
        isActive = true
        settle()
    }
}

/// Follows one link from its event loop.
protocol LinkObserver: AnyObject {
    /// The peer is identified: the handshake is no longer half-open.
    func linkIdentified()
    /// The handler has left its pipeline.
    func linkEnded()
}

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
