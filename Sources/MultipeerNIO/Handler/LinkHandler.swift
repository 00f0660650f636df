import Logging
import MultipeerCore
import MultipeerDriver
public import NIOCore

/// A channel handler that connects a `LinkDriver` to a pipeline. Bytes come from the transport below, and go back to
/// it.
///
/// Add it at the end of a pipeline whose other handlers turn the transport, such as WebSocket frames, into
/// `ByteBuffer`s of the link's stream. `LinkConnection.install` does this, and returns the app's end. The link begins
/// when the channel is active.
///
/// - Outbound, it writes while the channel is writable. Otherwise the bytes stay unsealed in the link.
/// - Inbound, it holds back `read` while the app lets events pile up, but never because its own writes wait (R15.2-1).
/// - It half-closes the transport when nothing more will be sent, and closes it when the link is finished.
public final class LinkHandler: ChannelDuplexHandler {
    public typealias InboundIn = ByteBuffer
    public typealias InboundOut = Never
    public typealias OutboundIn = Never
    public typealias OutboundOut = ByteBuffer

    let driver: LinkDriver
    let eventLoop: any EventLoop
    let clock: LoopClock
    /// The observer of the link's progress.
    var observer: (any LinkObserver)?
    let logger: Logger?
    /// What carries datagrams beside the link, where the handler's owner has sockets for them.
    var datagrams: DatagramCarrier?
    /// The context, or nil while the handler is not in a pipeline.
    private(set) var context: ChannelHandlerContext?
    private(set) var isActive = false
    /// Whether a `read` waits for the app.
    private var isReadHeldBack = false
    private var alarm = Alarm()
    /// Whether the driver is being drained. Writing can change writability, which calls back.
    private var isDraining = false
    private var mustDrainAgain = false
    private var isTurnScheduled = false
    /// Whether the end of a burst of reads is being handled. See ``finishBurst()``.
    private var isEndingBurst = false
    /// Whether something was written at the end of a burst.
    private var hasUnflushed = false

    /// Creates a handler for a link of `role` that begins now. Call this on the event loop.
    convenience init(role: LinkRole, configuration: LinkConfiguration, options: LinkOptions, eventLoop: any EventLoop) {
        let clock = LoopClock(options.clock, on: eventLoop)
        let driver = LinkDriver(role: role, configuration: configuration, options: options.driver, now: clock.now)
        self.init(driver, logger: options.logger, clock: clock, eventLoop: eventLoop)
    }

    /// Creates a handler for a link that has a driver.
    init(_ driver: LinkDriver, logger: Logger?, clock: LoopClock, eventLoop: any EventLoop) {
        self.clock = clock
        self.eventLoop = eventLoop
        self.logger = logger
        self.driver = driver
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        driver.setWake { eventLoop.execute { bound.value.wake() } }
        driver.onMilestone = { [unowned self] event in note(event) }
        driver.transportHoldsBytes = { [unowned self] in context?.channel.holdsBytes ?? false }
    }

    /// The time, which is virtual in tests.
    var now: Instant { clock.now }

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
        datagrams?.end()
        datagrams = nil
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
        // The transport's error goes to the log. The link sees only the end of the stream, and reports a truncation.
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
        // This runs once for a burst of reads, so that everything that they cause is sent together.
        isEndingBurst = true
        drain()
        isEndingBurst = false
        if hasUnflushed || driver.stage != .open {
            let bound = NIOLoopBound(self, eventLoop: eventLoop)
            eventLoop.execute { bound.value.finishBurst() }
        }
        context.fireChannelReadComplete()
    }

    /// Flushes and closes in the loop's next turn. Where the peer's stream has ended with the same bytes, SwiftNIO is about to close the
    /// input of the channel. In debug builds it traps if a write that fails, or this handler, has closed the channel before
    /// (`BaseSocketChannel.unregisterForReadable`, 2.101).
    private func finishBurst() {
        if hasUnflushed {
            hasUnflushed = false
            context?.flush()
        }
        if isActive { closeAsDriverWants() }
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

    /// Drains the driver after an input.
    func drain() {
        guard !isDraining else {
            mustDrainAgain = true
            return
        }
        isDraining = true
        repeat {
            mustDrainAgain = false
            write()
            datagrams?.carry()
        } while mustDrainAgain
        isDraining = false
        setAlarm()
        scheduleTurn()
        if isActive, !isEndingBurst { closeAsDriverWants() }
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
        guard hasWritten else { return }
        if isEndingBurst { hasUnflushed = true } else { context?.flush() }
    }

    /// The length of the longest record.
    private static let bufferLength = 65_536

    /// Lets the link write straight into the buffer's storage.
    private func fill(_ buffer: inout ByteBuffer) {
        // NIO's own `writeWithOutputRawSpan` gives an OutputRawSpan, which the standard library cannot turn into an
        // OutputSpan<UInt8>. The safe way is an array in between and a copy of every byte sent. It costs 9 % more
        // processor time and twice the page faults over loopback (docs/decisions/0005-nio-adapter.md).
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.bufferLength) { storage in
            // SAFETY: the storage is writable for its whole length while this closure runs. UInt8 needs no alignment
            // and is trivial, so binding the memory is sound. `finalize` checks that the span still belongs to this
            // storage.
            let bytes = unsafe storage.bindMemory(to: UInt8.self)
            var output = unsafe OutputSpan<UInt8>(buffer: bytes, initializedCount: 0)
            driver.transmit(into: &output, at: now)
            return unsafe output.finalize(for: bytes)
        }
    }

    // MARK: Turns and time

    /// Gives other work on the loop and this link's own reads a turn before the driver continues.
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

    /// Drains the driver because a task has sent a message or taken events, or a validator has answered.
    private func wake() {
        drain()
        guard isReadHeldBack, driver.wantsRead else { return }
        isReadHeldBack = false
        context?.read()
    }

    /// Sets the timer to the driver's deadline.
    private func setAlarm() { alarm.set(to: context == nil ? nil : driver.deadline, for: self) }
}

extension LinkHandler: AlarmOwner {
    func alarmWentOff() {
        alarm.wentOff()
        driver.timeout(at: now)
        drain()
    }
}
