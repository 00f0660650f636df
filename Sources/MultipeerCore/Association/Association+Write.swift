import MultipeerWire

/// The frames that this side sends, built when a record is (SPEC §15.2).
extension Association {
    /// Whether control frames must go out. ACK, CREDIT and PONG are states, and are built when they are written.
    var hasControl: Bool { !control.isEmpty || keepAlive.hasFrame || ack.isDue || incoming.isCreditDue }

    /// Whether messages can go out.
    var hasMessages: Bool { outgoing.canSend }

    /// Writes the control frames that are due into `room` bytes. Whatever does not fit waits.
    @_lifetime(output: copy output)
    func writeControl(room: Int, to output: inout OutputSpan<UInt8>, at now: Instant) {
        let end = output.count + max(room, 0)
        buildStates(at: now)
        while let frame = control.first, frame.count <= end - output.count {
            output.append(copying: frame.span)
            control.removeFirst()
        }
    }

    /// Turns what is due into frames. Each is at most 18 bytes, so that they fit any record that is begun.
    private func buildStates(at now: Instant) {
        if ack.isDue, let frame = ack.takeFrame() { control.append(frame) }
        if incoming.isCreditDue { control.append(incoming.takeCredit()) }
        guard keepAlive.hasFrame else { return }
        let (ping, pong) = keepAlive.takeFrames(at: now)
        if let pong { control.append(pong) }
        if let ping { control.append(ping) }
    }

    /// Writes messages into `room` bytes.
    @_lifetime(output: copy output)
    func writeMessages(room: Int, to output: inout OutputSpan<UInt8>) { outgoing.write(room: room, to: &output) }

    /// The ACK that stands in front of CLOSE (R13.6-1).
    func takeLastAck() -> Ack? { ack.takeFrame() }
}

/// Control frames in order.
struct ControlQueue: Sendable {
    private var frames: [[UInt8]] = []
    private var head = 0

    var isEmpty: Bool { head == frames.count }
    var first: [UInt8]? { isEmpty ? nil : frames[head] }

    mutating func append(_ frame: some ControlFrame) { frames.append(frame.encoded()) }

    mutating func removeFirst() {
        guard !isEmpty else { return }
        frames[head] = []
        head += 1
        guard isEmpty else { return }
        frames.removeAll(keepingCapacity: head < 64)
        head = 0
    }
}
