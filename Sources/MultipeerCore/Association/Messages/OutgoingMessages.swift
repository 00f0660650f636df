import MultipeerWire

/// The messages that the local peer sends, and what has become of them (SPEC §15.1, §13.6).
struct OutgoingMessages: Sendable {
    /// What each message uses beside its bytes (SPEC §13.3).
    static let fixedCost: UInt64 = 64
    /// What a peer takes at first (SPEC §13.3).
    static let firstLimit: UInt64 = 262_144

    private struct Waiting: Sendable {
        let tag: MessageTag
        let bytes: [UInt8]
    }

    private var window = SendWindow(limit: firstLimit)
    /// In order, the one under way included.
    private var waiting = DrainQueue<Waiting>()
    /// How much of the first message is sent; nil when its MESSAGE is not.
    private var sent: Int?
    private var lastTag: UInt64 = 0
    /// Sent whole, and not acknowledged.
    private var unacknowledged = MessageTags()
    private var acknowledged: UInt64 = 0
    /// Bytes that wait.
    private(set) var byteCount = 0

    /// What has been used of the peer's credit: it grows with each frame.
    var usedCredit: UInt64 { window.used }

    /// Whether no message waits, wholly or in part.
    var isEmpty: Bool { waiting.isEmpty }

    /// Messages that wait, the one under way included.
    var count: Int { waiting.count }

    /// Whether the peer has not acknowledged all that was sent.
    var awaitsAck: Bool { unacknowledged.count > 0 }

    /// Whether credit allows to send something.
    var canSend: Bool {
        guard !waiting.isEmpty else { return false }
        if sent != nil { return window.room > 0 }
        return window.room >= Self.fixedCost + (waiting.first?.bytes.isEmpty == true ? 0 : 1)
    }

    mutating func append(_ message: [UInt8]) -> MessageTag {
        lastTag += 1
        let tag = MessageTag(number: lastTag)
        waiting.append(Waiting(tag: tag, bytes: message))
        byteCount += message.count
        return tag
    }

    /// Takes a message back that has not been begun. Returns whether it was there.
    mutating func takeBack(_ tag: MessageTag) -> Bool {
        guard sent == nil || waiting.first?.tag != tag, let message = waiting.remove(where: { $0.tag == tag }) else {
            return false
        }
        byteCount -= message.bytes.count
        return true
    }

    // MARK: Frames

    /// CREDIT of messages came.
    mutating func raise(to limit: UInt64) throws(LinkFailureCause) { try window.raise(to: limit) }

    /// ACK came. Returns what it counts.
    /// - Throws: `malformed` (R13.6-2).
    mutating func receive(_ ack: Ack) throws(LinkFailureCause) -> [MessageRange] {
        guard ack.messages > acknowledged, ack.messages - acknowledged <= unacknowledged.count else {
            throw .malformed(WireError(.valueOutOfRange, in: .acknowledgedMessages))
        }
        let news = ack.messages - acknowledged
        acknowledged = ack.messages
        return unacknowledged.takeFirst(news)
    }

    /// Writes frames until nothing is left, credit is used up, or `room` bytes are.
    @_lifetime(output: copy output)
    mutating func write(room: Int, to output: inout OutputSpan<UInt8>) {
        let start = output.count
        while canSend, writeFrame(room: room - (output.count - start), to: &output) {}
    }

    @_lifetime(output: copy output)
    private mutating func writeFrame(room: Int, to output: inout OutputSpan<UInt8>) -> Bool {
        // The message is moved out, and back unless all of it is sent: a copy would count references.
        guard let first = waiting.takeFirst() else { return false }
        let written: Int?
        if let sent {
            let rest = first.bytes.span.extracting(droppingFirst: sent)
            let allowed = rest.extracting(first: min(rest.count, window.roomInBytes))
            written = PayloadFrame.appendMessagePart(allowed, room: room, to: &output)
        } else {
            let limit = window.roomInBytes - Int(Self.fixedCost)
            written = PayloadFrame.appendMessage(first.bytes.span, limit: limit, room: room, to: &output)
        }
        guard let written else {
            waiting.putBack(first)
            return false
        }
        window.use(UInt64(written) + (sent == nil ? Self.fixedCost : 0))
        byteCount -= written
        let position = (sent ?? 0) + written
        if position == first.bytes.count {
            sent = nil
            unacknowledged.append(first.tag)
            waiting.moveUp()
        } else {
            sent = position
            waiting.putBack(first)
        }
        return true
    }

    // MARK: The end

    /// Drops what waits. Returns it: it is *not sent*.
    mutating func dropWaiting() -> [MessageRange] {
        var tags = MessageTags()
        while let message = waiting.next() { tags.append(message.tag) }
        (sent, byteCount) = (nil, 0)
        return tags.takeAll()
    }

    /// The link is over. Returns what is *in doubt*.
    mutating func takeUnacknowledged() -> [MessageRange] { unacknowledged.takeAll() }
}
