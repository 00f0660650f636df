import MultipeerWire

/// The counted frames that have gone out and that no ACK counts, the oldest first (SPEC §13.6, §13.9).
///
/// They lie in a ring that grows by doubling, so that a frame costs no memory of its own.
struct KeptFrames: Sendable {
    /// How many bytes of payloads an association keeps, before it sends nothing more of messages and streams (R13.9-2).
    static let mostBytes = 1_048_576
    /// The same for frames.
    static let mostFrames = 4_096
    /// Room for the longest frame that begins a stream or a file: with less of it nothing is begun.
    static let reserve = 2_048
    /// Up to how many places an empty ring keeps its memory.
    private static let idlePlaces = 512

    /// A power of two of places.
    private var places: [KeptFrame?] = []
    private var head = 0
    private(set) var count = 0
    private(set) var byteCount = 0
    /// How many counted frames the peer has acknowledged.
    private(set) var acknowledged: UInt64 = 0
    /// Whether frames are kept: the association may outlive its link.
    private let keeps: Bool
    /// What is known of them otherwise.
    private var runs = SentRuns()
    /// How many of those kept have gone out on the link that continues the association; nil once all have.
    private var repeated: Int?

    init(keeps: Bool = true) { self.keeps = keeps }

    /// How many counted frames have gone out.
    var sent: UInt64 { acknowledged + (keeps ? UInt64(count) : runs.count) }

    /// Whether more of messages and streams may go out. Other counted frames may in any case: they are few.
    var hasRoom: Bool { count < Self.mostFrames && byteCount <= Self.mostBytes - Self.reserve }

    /// How long a frame of them may be.
    var room: Int { hasRoom ? Self.mostBytes - byteCount : 0 }

    /// A frame of a message goes out, with `count` bytes of it. Where nothing is kept this costs no reference.
    @inline(__always)
    mutating func append(
        _ kind: KeptFrame.Kind, _ message: [UInt8], at offset: Int, count: Int, of tag: MessageTag
    ) {
        guard keeps else { return runs.append(ending: offset + count == message.count ? tag : nil) }
        append(KeptFrame(kind, message, at: offset, count: count, number: tag.number))
    }

    /// A counted frame goes out.
    mutating func append(_ frame: consuming KeptFrame) {
        guard keeps else { return runs.append(ending: frame.ended) }
        if count == places.count { grow() }
        byteCount += frame.length
        places[(head + count) & (places.count - 1)] = frame
        count += 1
    }

    @inline(never)  // rare: docs/decisions/0025
    private mutating func grow() {
        let capacity = max(8, 2 * count)
        var wider: [KeptFrame?] = []
        wider.reserveCapacity(capacity)
        for index in 0..<count { wider.append(places[(head + index) & (places.count - 1)].take()) }
        while wider.count < capacity { wider.append(nil) }
        (places, head) = (wider, 0)
    }

    /// ACK came. Returns the messages of which it counts the last frame.
    /// - Throws: `malformed` (R13.6-2).
    mutating func receive(_ ack: Ack) throws(LinkFailureCause) -> [MessageRange] {
        guard ack.count > acknowledged, ack.count <= sent else {
            throw .malformed(WireError(.valueOutOfRange, in: .acknowledgedCount))
        }
        return acknowledge(ack.count)
    }

    private mutating func acknowledge(_ total: UInt64) -> [MessageRange] {
        guard keeps else {
            defer { acknowledged = total }
            return runs.takeFirst(total - acknowledged)
        }
        var ranges: [MessageRange] = []
        while acknowledged < total, let frame = removeFirst() {
            acknowledged += 1
            if let repeated { self.repeated = max(repeated - 1, 0) }
            if let message = frame.ended { ranges.append(next: message) }
        }
        if count == 0 {
            repeated = nil
            if places.count > Self.idlePlaces { places = [] }
        }
        return ranges
    }

    // MARK: Again

    /// Whether frames have to go out again before anything else does (R13.9-8).
    var isRepeating: Bool { repeated != nil }

    /// Another link continues the association. Returns the messages of which the peer has processed the last frame; what it has not
    /// processed goes out again.
    mutating func resume(after received: UInt64) -> [MessageRange] {
        let ranges = acknowledge(received)
        repeated = count == 0 ? nil : 0
        return ranges
    }

    /// Writes the next of these frames, up to place `end` of the output. Returns whether they are payload; nil if none fits.
    /// - Parameter separates: Whether payload and other frames have records of their own (R11-1).
    @_lifetime(output: copy output)
    mutating func repeatFrames(upTo end: Int, to output: inout OutputSpan<UInt8>, separates: Bool) -> Bool? {
        guard var next = repeated else { return nil }
        var isPayload: Bool?
        while next < count, let frame = places[(head + next) & (places.count - 1)] {
            if separates, let isPayload, isPayload != frame.isPayload { break }
            guard frame.encodedLength <= end - output.count else { break }
            frame.write(to: &output)
            isPayload = frame.isPayload
            next += 1
        }
        repeated = next < count ? next : nil
        return isPayload
    }

    private mutating func removeFirst() -> KeptFrame? {
        guard count > 0, let frame = places[head].take() else { return nil }
        head = (head + 1) & (places.count - 1)
        count -= 1
        byteCount -= frame.length
        return frame
    }

    /// The association is over. Returns the messages that went out whole, and that no ACK counts.
    mutating func takeMessages() -> [MessageRange] {
        guard keeps else { return runs.takeFirst(runs.count) }
        var ranges: [MessageRange] = []
        while let frame = removeFirst() {
            if let message = frame.ended { ranges.append(next: message) }
        }
        (places, head) = ([], 0)
        return ranges
    }
}
