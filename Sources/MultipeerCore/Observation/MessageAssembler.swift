import MultipeerWire

/// Puts messages together from their frames (SPEC §15.1).
struct MessageAssembler: Sendable {
    /// The longest message that the local peer takes.
    let maximum: UInt64
    private var bytes: [UInt8] = []
    /// What the message under way has in all; nil between messages.
    private var total: Int?

    init(maximum: UInt64) {
        self.maximum = maximum
    }

    /// Whether a message has begun and not ended.
    var isPartial: Bool { total != nil }

    /// How many bytes there is memory for.
    var capacity: Int { bytes.capacity }

    /// Takes MESSAGE. Returns the message if that is all of it.
    mutating func begin(_ payload: Span<UInt8>) throws(LinkFailureCause) -> [UInt8]? {
        // Fields in their order (R18-1): a message that is too long is that, whatever its data.
        guard try announcedTotal(payload) <= maximum else { throw .violation(.limitExceeded) }
        let frame: MessageFrame
        do {
            frame = try MessageFrame(payload: payload)
        } catch {
            throw LinkFailureCause(error)
        }
        // What needs other frames to be judged comes after all fields (R18-1).
        guard total == nil else { throw .violation(.unexpectedFrame(FrameType.message.rawValue)) }
        if UInt64(frame.data.count) == frame.total { return [UInt8](copying: frame.data) }
        total = Int(frame.total)
        bytes = []
        append(frame.data, of: Int(frame.total))
        return nil
    }

    private func announcedTotal(_ payload: Span<UInt8>) throws(LinkFailureCause) -> UInt64 {
        do {
            return try MessageFrame.total(payload: payload)
        } catch {
            throw LinkFailureCause(error)
        }
    }

    /// Takes MESSAGE_PART. Returns the message if that was the rest.
    mutating func `continue`(_ data: Span<UInt8>) throws(LinkFailureCause) -> [UInt8]? {
        guard !data.isEmpty else { throw .malformed(WireError(.lengthOutOfRange, in: .messageData)) }
        guard let total else { throw .violation(.unexpectedFrame(FrameType.messagePart.rawValue)) }
        guard data.count <= total - bytes.count else {
            throw .malformed(WireError(.lengthOutOfRange, in: .messageData))
        }
        append(data, of: total)
        guard bytes.count == total else { return nil }
        self.total = nil
        defer { bytes = [] }
        return bytes
    }

    /// Grows by what has arrived, and never beyond the message (R15.1-4).
    ///
    /// The memory of a long message is new each time, and to provide its pages is most of what such a message costs the
    /// system. So it grows fourfold, and to the whole message once an eighth of it is there: a last step that falls a few
    /// bytes short would copy nearly all of it.
    private mutating func append(_ data: Span<UInt8>, of total: Int) {
        let needed = bytes.count + data.count
        if bytes.capacity < needed { bytes.reserveCapacity(total / 8 <= needed ? total : 4 * needed) }
        bytes.append(copying: data)
    }
}
