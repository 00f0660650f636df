import MultipeerCore
import MultipeerWire
public import NIOCore

/// Guards ``LinkHandler/settle()`` against itself: writing can change writability, and so call back.
struct PumpState {
    var isRunning = false
    var isWanted = false
    /// Buffers written since the loop has had its turn.
    var buffersThisTurn = 0
    var hasNextTurn = false
}

/// How far the transport is closed.
struct EndingState {
    var hasInputEnded = false
    var hasClosedOutput = false
    var hasClosed = false
}

extension LinkHandler {
    public func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { settleLater() }
        context.fireChannelWritabilityChanged()
    }

    /// Drains the link after any input: bytes to the transport, events to the app, the deadline to the clock.
    func settle() {
        pump.isWanted = true
        guard !pump.isRunning else { return }
        pump.isRunning = true
        if !pump.hasNextTurn { pump.buffersThisTurn = 0 }
        var rounds = 0
        while pump.isWanted {
            pump.isWanted = false
            takeMail()
            transmit()
            deliverEvents()
            if gate.report(linkBytes: link.queuedByteCount) { goOnWithMail(&rounds) }
        }
        tellGateOfStage()
        pump.isRunning = false
        armAlarm()
        closeAsFarAsDone()
    }

    /// Drains the link some time after its last input: what it sends then has deadlines that count from now.
    private func settleLater() {
        link.timeout(at: now)
        settle()
    }

    /// Tasks that send as fast as this takes do not keep the loop from others: after some rounds it is their turn.
    private func goOnWithMail(_ rounds: inout Int) {
        rounds += 1
        if rounds < Self.mailRoundsPerTurn { pump.isWanted = true } else { continueInNextTurn() }
    }

    /// Queues what tasks have sent.
    func takeMail() {
        for message in gate.takeMail() {
            // The gate takes only what the link takes; a link that has ended since has told the gate.
            try? link.send(message, at: now)
        }
    }

    /// What senders hear when the link is not open.
    private func tellGateOfStage() {
        guard link.stage != gateStage else { return }
        gateStage = link.stage
        if gateStage != .open { _ = gate.stop(.wrongStage(gateStage)) }
    }

    /// Seals records into buffers while the channel takes them. What it does not take stays in the link, where control
    /// frames overtake payload.
    ///
    /// After `turnLength` buffers it is the turn of others on the loop, and of this link's own reads.
    private func transmit() {
        guard isActive, let context, !ending.hasClosedOutput else { return }
        var hasWritten = false
        while link.hasOutput, context.channel.isWritable {
            guard pump.buffersThisTurn < Self.turnLength else {
                continueInNextTurn()
                break
            }
            pump.buffersThisTurn += 1
            var buffer = context.channel.allocator.buffer(capacity: Self.bufferLength)
            fill(&buffer)
            guard buffer.readableBytes > 0 else { break }
            context.write(Self.wrapOutboundOut(buffer), promise: nil)
            hasWritten = true
        }
        if hasWritten { context.flush() }
    }

    private func continueInNextTurn() {
        guard !pump.hasNextTurn else { return }
        pump.hasNextTurn = true
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        eventLoop.execute {
            bound.value.pump.hasNextTurn = false
            bound.value.pump.buffersThisTurn = 0
            bound.value.settleLater()
        }
    }

    private static let mailRoundsPerTurn = 16
    /// 2 MiB at most, about what a socket takes at once.
    private static let turnLength = 32
    /// One record of full length.
    static let bufferLength = 65_536

    /// Lets the link write straight into the buffer's storage.
    private func fill(_ buffer: inout ByteBuffer) {
        // NIO's own `writeWithOutputRawSpan` gives an OutputRawSpan, of which the standard library makes no
        // OutputSpan<UInt8>; the safe way is an array in between, and a copy of every byte sent: 9 % more processor time
        // and twice the page faults over loopback (docs/decisions/0005-nio-adapter.md).
        unsafe buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: Self.bufferLength) { storage in
            // SAFETY: the storage is writable for its whole length while this closure runs; UInt8 needs no alignment
            // and is trivial, so binding it is sound; `finalize` checks that the span still is of this storage.
            let bytes = unsafe storage.bindMemory(to: UInt8.self)
            var output = unsafe OutputSpan<UInt8>(buffer: bytes, initializedCount: 0)
            link.transmit(into: &output, at: now)
            return unsafe output.finalize(for: bytes)
        }
    }

    // MARK: Closing

    private func closeAsFarAsDone() {
        guard isActive, let context else { return }
        if link.isFinished {
            closeTransport(context)
        } else if link.isOutputFinished, !ending.hasClosedOutput {
            ending.hasClosedOutput = true
            // A transport that cannot be half-closed stays open until the link is finished.
            context.close(mode: .output, promise: nil)
        }
    }

    /// Closes once all that was written has left: closing at once would drop it.
    private func closeTransport(_ context: ChannelHandlerContext) {
        guard !ending.hasClosed else { return }
        ending.hasClosed = true
        if ending.hasClosedOutput {
            context.close(promise: nil)
            return
        }
        ending.hasClosedOutput = true
        let bound = NIOLoopBound(context, eventLoop: eventLoop)
        context.writeAndFlush(Self.wrapOutboundOut(ByteBuffer())).whenComplete { _ in
            bound.value.close(promise: nil)
        }
    }

    /// Closes the transport and leaves the rest to the peer.
    func abort() {
        endInput()
        ending.hasClosed = true
        context?.close(promise: nil)
    }

    // MARK: Time

    /// Sets the alarm to the link's deadline, if that has changed.
    func armAlarm() {
        guard link.deadline != alarm?.moment else { return }
        alarm?.task.cancel()
        alarm = nil
        guard context != nil, let deadline = link.deadline else { return }
        let bound = NIOLoopBound(self, eventLoop: eventLoop)
        let task = eventLoop.scheduleTask(deadline: NIODeadline(deadline)) { bound.value.ring() }
        alarm = (deadline, task)
    }

    private func ring() {
        alarm = nil
        settleLater()
    }
}
