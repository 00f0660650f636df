import Logging
import MultipeerCore
import MultipeerDriver
public import NIOCore

/// Connects a `LinkDriver` to a channel's pipeline: bytes come from the transport below, and go back to it.
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

    let driver: LinkDriver
    let eventLoop: any EventLoop
    /// Who wants to know how far the link has come; see ``LinkObserver``.
    var observer: (any LinkObserver)?
    let logger: Logger?
    /// Nil before the handler is in a pipeline, and after it.
    private(set) var context: ChannelHandlerContext?
    private(set) var isActive = false
    /// A `read` that waits for the app.
    private var isReadHeldBack = false
    private var alarm: (moment: Instant, task: Scheduled<Void>)?
    /// Writing can change writability, and so call back.
    private var isDraining = false
    private var mustDrainAgain = false
    private var isTurnScheduled = false

    /// Begins a link of `role` now. Call it on the event loop.
    init(role: LinkRole, configuration: LinkConfiguration, options: LinkOptions, eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
        logger = options.logger
        driver = LinkDriver(
            role: role, configuration: configuration, options: options.driver, now: Instant(eventLoop.now))
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        driver.setWake { eventLoop.execute { bound.value.wake() } }
        driver.onMilestone = { [unowned self] event in note(event) }
    }

    /// The time of the loop, which is virtual in tests.
    var now: Instant { Instant(eventLoop.now) }

    // MARK: The pipeline

    public func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        setAlarm()
        if context.channel.isActive { start() }
    }

    public func handlerRemoved(context: ChannelHandlerContext) {
        endInput()
        self.context = nil
        setAlarm()
        driver.transportClosed(at: now)
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
        driver.transportOpened()
        drain()
    }

    // MARK: Inbound

    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let buffer = Self.unwrapInboundIn(data)
        driver.receive(buffer.readableBytesUInt8Span, at: now)
    }

    public func channelReadComplete(context: ChannelHandlerContext) {
        // Once for a burst of reads, so that what they cause goes out together.
        drain()
        context.fireChannelReadComplete()
    }

    public func read(context: ChannelHandlerContext) {
        isReadHeldBack = !driver.wantsRead
        if !isReadHeldBack { context.read() }
    }

    public func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? ChannelEvent, event == .inputClosed { endInput() }
        context.fireUserInboundEventTriggered(event)
    }

    private func endInput() {
        driver.receiveEnd(at: now)
        drain()
    }

    // MARK: Outbound

    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { drain() }
        context.fireChannelWritabilityChanged()
    }

    /// Does all that the driver wants after an input.
    func drain() {
        guard !isDraining else {
            mustDrainAgain = true
            return
        }
        isDraining = true
        repeat {
            mustDrainAgain = false
            write()
        } while mustDrainAgain
        isDraining = false
        setAlarm()
        scheduleTurn()
        if isActive { closeAsDriverWants() }
    }

    private func write() {
        var hasWritten = false
        while driver.prepareWrite(at: now, isWritable: isActive && context?.channel.isWritable == true) {
            guard let context else { return }
            var buffer = context.channel.allocator.buffer(capacity: Self.bufferLength)
            fill(&buffer)
            guard buffer.readableBytes > 0 else { continue }
            context.write(Self.wrapOutboundOut(buffer), promise: nil)
            hasWritten = true
        }
        if hasWritten { context?.flush() }
    }

    /// One record of full length.
    private static let bufferLength = 65_536

    /// Lets the link write straight into the buffer's storage.
    private func fill(_ buffer: inout ByteBuffer) {
        // NIO's own `writeWithOutputRawSpan` gives an OutputRawSpan, of which the standard library makes no
        // OutputSpan<UInt8>. The safe way is an array in between, and a copy of every byte sent: 9 % more processor time
        // and twice the page faults over loopback (docs/decisions/0005-nio-adapter.md).
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.bufferLength) { storage in
            // SAFETY: the storage is writable for its whole length while this closure runs; UInt8 needs no alignment
            // and is trivial, so binding it is sound; `finalize` checks that the span still is of this storage.
            let bytes = unsafe storage.bindMemory(to: UInt8.self)
            var output = unsafe OutputSpan<UInt8>(buffer: bytes, initializedCount: 0)
            driver.transmit(into: &output, at: now)
            return unsafe output.finalize(for: bytes)
        }
    }

    // MARK: Turns and time

    /// Lets others on the loop have their turn, and this link's own reads, before the driver goes on.
    private func scheduleTurn() {
        guard driver.needsTurn, !isTurnScheduled else { return }
        isTurnScheduled = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute { bound.value.beginTurn() }
    }

    private func beginTurn() {
        isTurnScheduled = false
        driver.beginTurn()
        drain()
    }

    /// A task has sent a message or taken events, or a validator has answered.
    private func wake() {
        drain()
        guard isReadHeldBack, driver.wantsRead else { return }
        isReadHeldBack = false
        context?.read()
    }

    /// Sets the alarm to the driver's deadline, if that has changed.
    private func setAlarm() {
        let deadline = context == nil ? nil : driver.deadline
        guard deadline != alarm?.moment else { return }
        alarm?.task.cancel()
        alarm = nil
        guard let deadline else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let task = eventLoop.scheduleTask(deadline: NIODeadline(deadline)) { bound.value.deadlineReached() }
        alarm = (deadline, task)
    }

    private func deadlineReached() {
        alarm = nil
        driver.timeout(at: now)
        drain()
    }
}
