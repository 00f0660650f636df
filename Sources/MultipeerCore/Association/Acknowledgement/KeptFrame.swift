import MultipeerWire

/// A counted frame that has gone out, as far as it takes to write the same bytes again. What the app gave is referred to, not copied.
struct KeptFrame: Sendable {
    /// What the frame carries, and so what `number` means.
    enum Kind: Sendable {
        /// The beginning of a message; `number` is its tag.
        case message
        /// A part of a message; `number` is its tag.
        case part
        /// Bytes of a stream; `number` is that of the stream.
        case stream
        /// Anything else: `source` is the whole frame.
        case whole
    }

    /// Whose bytes the frame carries.
    let source: [UInt8]
    /// Where in `source` these bytes begin.
    let offset: Int
    let number: UInt64
    /// How many bytes of `source` the frame carries. No frame is too long for it.
    private let storedCount: UInt32
    /// How long the frame's payload is.
    private let storedLength: UInt32
    let kind: Kind
    /// Whether it is the last frame of a message.
    private let endsMessage: Bool

    /// A frame that carries `count` bytes of `source`.
    init(_ kind: Kind, _ source: [UInt8], at offset: Int, count: Int, number: UInt64) {
        self.kind = kind
        self.offset = offset
        self.number = number
        self.source = source
        endsMessage = kind != .stream && offset + count == source.count
        let front =
            switch kind {
            case .message: VarInt.length(of: UInt64(source.count))
            case .stream: VarInt.length(of: number)
            case .part, .whole: 0
            }
        storedCount = UInt32(clamping: count)
        storedLength = UInt32(clamping: front + count)
    }

    /// A control frame, its type and length included. They count as payload here: the bound may be less than that of SPEC §13.9.
    init(whole frame: [UInt8]) {
        (kind, offset, number, endsMessage) = (.whole, 0, 0, false)
        (storedCount, storedLength) = (UInt32(clamping: frame.count), UInt32(clamping: frame.count))
        source = frame
    }

    /// The message that ends with the frame.
    var ended: MessageTag? { endsMessage ? MessageTag(number: number) : nil }

    /// Whether the frame carries payload, whose protection SPEC §11 decides.
    var isPayload: Bool { kind != .whole }

    /// How long the frame is, its type and length included.
    var encodedLength: Int {
        let type: FrameType
        switch kind {
        case .message: type = .message
        case .part: type = .messagePart
        case .stream: type = .streamData
        case .whole: return length
        }
        return VarInt.length(of: type.rawValue) + VarInt.length(of: UInt64(length)) + length
    }

    /// Writes the frame again, for which there must be room.
    @_lifetime(output: copy output)
    func write(to output: inout OutputSpan<UInt8>) {
        let room = encodedLength
        let written: Int?
        switch kind {
        case .message: written = PayloadFrame.appendMessage(source.span, limit: count, room: room, to: &output)
        case .part: written = PayloadFrame.appendMessagePart(carried, room: room, to: &output)
        case .stream: written = PayloadFrame.appendStreamData(id: number, carried, room: room, to: &output)
        case .whole:
            output.append(copying: source.span)
            written = count
        }
        assert(written == count, "a frame is written again as it was")
    }

    /// The bytes that it carries.
    private var carried: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get { source.span.extracting(offset..<offset + count) }
    }

    var count: Int { Int(storedCount) }
    /// How much of the bound it uses.
    var length: Int { Int(storedLength) }
}
