import MultipeerWire

/// Messages that wait to be sent, in order; the first may be partly sent.
struct MessageQueue: Sendable {
    private var messages: [[UInt8]] = []
    /// Index of the first message that is not wholly sent; the ones before are empty.
    private var head = 0
    /// How much of the first message is sent; nil when its MESSAGE frame is not.
    private var sent: Int?
    /// Bytes that wait.
    private(set) var byteCount = 0

    var isEmpty: Bool { head == messages.count }

    /// Messages that wait, the one under way included.
    var count: Int { messages.count - head }

    mutating func append(_ message: [UInt8]) {
        messages.append(message)
        byteCount += message.count
    }

    mutating func removeAll() { self = MessageQueue() }

    /// Writes frames until the queue is empty or `room` is used. Returns whether it wrote any.
    @_lifetime(output: copy output)
    mutating func write(room: Int, to output: inout OutputSpan<UInt8>) -> Bool {
        let start = output.count
        while head < messages.count, writeFrame(room: room - (output.count - start), to: &output) {}
        return output.count > start
    }

    @_lifetime(output: copy output)
    private mutating func writeFrame(room: Int, to output: inout OutputSpan<UInt8>) -> Bool {
        let message = messages[head]
        let written: Int?
        if let sent {
            let rest = message.span.extracting(droppingFirst: sent)
            written = PayloadFrame.appendMessagePart(rest, room: room, to: &output)
        } else {
            written = PayloadFrame.appendMessage(message.span, room: room, to: &output)
        }
        guard let written else { return false }
        byteCount -= written
        let position = (sent ?? 0) + written
        sent = position
        if position == message.count { removeFirst() }
        return true
    }

    private mutating func removeFirst() {
        messages[head] = []
        head += 1
        sent = nil
        if head > 32, head * 2 > messages.count {
            messages.removeFirst(head)
            head = 0
        }
    }
}
