import MultipeerWire

/// A control frame that waits, with what it asks of the record that will hold it.
struct QueuedFrame: Sendable {
    let bytes: [UInt8]
    let type: FrameType
    /// What the record's length must be a multiple of (R6.5-1); zero for CLOSE, whose record is not padded.
    let unit: Int
    /// The stream or file that it names.
    let number: UInt64?

    init(bytes: [UInt8], type: FrameType, isLinkOpen: Bool, number: UInt64? = nil) {
        self.number = number
        self.bytes = bytes
        self.type = type
        unit =
            switch type {
            case .certificates: Padding.certificatesUnit
            case .ready, .resumed: Padding.unit
            case .close: 0
            default: isLinkOpen ? 1 : Padding.unit
            }
    }
}

/// Control frames in order.
struct FrameQueue: Sendable {
    /// How the next record is filled.
    struct Flight {
        fileprivate let count: Int
        fileprivate let padding: Int
        /// Whether the key is replaced after the record.
        let hasRekey: Bool
    }

    private var frames: [QueuedFrame] = []
    private var head = 0

    var isEmpty: Bool { head == frames.count }

    /// Whether a frame waits that needs an open link, and so a key that is not too old (R12.6-5).
    var holdsFrameOfOpenLink: Bool { frames[head...].contains { $0.unit == 1 && $0.type != .rekey } }

    mutating func append(_ frame: QueuedFrame) { frames.append(frame) }

    mutating func removeAll() { self = FrameQueue() }

    /// Whether a frame of a type waits.
    func holds(_ type: FrameType) -> Bool { frames[head...].contains { $0.type == type } }

    /// Removes the frame of a type of which there is one at most. Returns whether it was there.
    mutating func remove(_ type: FrameType) -> Bool {
        guard let index = frames[head...].firstIndex(where: { $0.type == type }) else { return false }
        frames.remove(at: index)
        return true
    }

    /// Puts REKEY before all frames that the local peer sends on an open link. Without such frames it is the last.
    mutating func insertRekey() {
        let rekey = QueuedFrame(bytes: Rekey().encoded(), type: .rekey, isLinkOpen: true)
        let waiting = frames[head...]
        frames.insert(rekey, at: waiting.firstIndex { $0.unit == 1 } ?? frames.endIndex)
    }

    /// What goes into a record of at most `recordLength` bytes, header, padding and tag included, and of at most
    /// `frameLength` bytes of frames. Nil if not even the first frame fits.
    func nextFlight(recordLength: Int, frameLength: Int) -> Flight? {
        var (count, length, unit, padding, hasRekey) = (0, 0, 1, 0, false)
        for frame in frames[head...] where !hasRekey {
            // After REKEY no PADDING may follow (R12.6-2), and CLOSE has a record of its own (R6.5-1).
            if unit > 1, frame.type == .rekey || frame.type == .close { break }
            let (nextLength, nextUnit) = (length + frame.bytes.count, max(unit, frame.unit))
            let nextPadding = Padding.length(forRecord: nextLength + RecordSealer.overhead, unit: nextUnit)
            guard nextLength <= frameLength, nextLength + nextPadding + RecordSealer.overhead <= recordLength else {
                break
            }
            (count, length, unit, padding) = (count + 1, nextLength, nextUnit, nextPadding)
            // The key is replaced after the record (R12.6-2).
            hasRekey = frame.type == .rekey
        }
        return count == 0 ? nil : Flight(count: count, padding: padding, hasRekey: hasRekey)
    }

    /// Writes the frames of a flight and their padding.
    @_lifetime(output: copy output)
    mutating func write(_ flight: Flight, to output: inout OutputSpan<UInt8>) {
        for frame in frames[head..<head + flight.count] { output.append(copying: frame.bytes.span) }
        Padding.append(flight.padding, to: &output)
        head += flight.count
        if isEmpty { removeAll() }
    }
}
