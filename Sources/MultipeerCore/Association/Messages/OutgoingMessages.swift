import MultipeerWire

/// The messages that the local peer sends, up to the frame that goes out (SPEC §15.1). ``KeptFrames`` has them after it.
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
    /// Bytes that wait.
    private(set) var byteCount = 0

    /// What has been used of the peer's credit: it grows with each frame.
    var usedCredit: UInt64 { window.used }

    /// Whether no message waits, wholly or in part.
    var isEmpty: Bool { waiting.isEmpty }

    /// Messages that wait, the one under way included.
    var count: Int { waiting.count }

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

    /// Another link continues the association.
    mutating func resume() { window.resume() }

    /// CREDIT of messages came.
    mutating func raise(to limit: UInt64) throws(LinkFailureCause) { try window.raise(to: limit) }

    /// Writes frames until nothing is left, credit is used up, `room` bytes are, or no more may be kept.
    @_lifetime(output: copy output)
    mutating func write(room: Int, to output: inout OutputSpan<UInt8>, keeping kept: inout KeptFrames) {
        let end = output.count + room
        while canSend, kept.hasRoom, writeFrame(upTo: end, to: &output, keeping: &kept) {}
    }

    @_lifetime(output: copy output)
    private mutating func writeFrame(
        upTo end: Int, to output: inout OutputSpan<UInt8>, keeping kept: inout KeptFrames
    ) -> Bool {
        // The message is moved out, and back unless all of it is sent: a copy would count references.
        guard let first = waiting.takeFirst() else { return false }
        let room = min(end - output.count, kept.room)
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
        let (offset, kind) = (sent ?? 0, sent == nil ? KeptFrame.Kind.message : .part)
        kept.append(kind, first.bytes, at: offset, count: written, of: first.tag)
        if offset + written == first.bytes.count {
            sent = nil
            waiting.moveUp()
        } else {
            sent = offset + written
            waiting.putBack(first)
        }
        return true
    }

    // MARK: The end

    /// Drops what waits. Returns it: it is *not sent*.
    mutating func dropWaiting() -> [MessageRange] {
        var ranges: [MessageRange] = []
        while let message = waiting.next() { ranges.append(next: message.tag) }
        (sent, byteCount) = (nil, 0)
        return ranges
    }
}
