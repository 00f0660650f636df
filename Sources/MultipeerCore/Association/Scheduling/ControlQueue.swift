import MultipeerWire

/// Control frames in order.
///
/// While no more frames may be kept (SPEC §13.9), one that begins a stream or a file waits aside, and others pass it: without ACK and CREDIT
/// two peers could wait for each other. What names the same stream or file waits with it.
struct ControlQueue: Sendable {
    /// How many bytes may wait: a peer that takes little could have answers pile up otherwise (R19-5).
    static let mostBytes = 4_194_304

    private var frames: [QueuedFrame] = []
    private var head = 0
    /// Frames that wait until more may be kept.
    private var held = DrainQueue<QueuedFrame>()
    /// How many bytes wait.
    private(set) var byteCount = 0

    /// Whether no frame waits but those that are held.
    var isEmpty: Bool { head == frames.count }
    /// Whether frames wait until more may be kept.
    var isHolding: Bool { !held.isEmpty }

    // MARK: Appending

    mutating func append(_ frame: some ControlFrame) { append(frame, number: nil) }

    mutating func append(_ frame: some NumberedFrame) { append(frame, number: frame.id) }

    mutating func append(_ credit: Credit) { append(credit, number: credit.kind.isNumbered ? credit.id : nil) }

    private mutating func append(_ frame: some ControlFrame, number: UInt64?) {
        let bytes = frame.encoded()
        byteCount += bytes.count
        frames.append(QueuedFrame(bytes: bytes, type: type(of: frame).type, isLinkOpen: true, number: number))
    }

    // MARK: Another link

    /// No link carries the association: only what is counted waits for the next one. All else is said anew there.
    mutating func park() {
        var counted: [QueuedFrame] = []
        while let frame = held.next() { counted.append(frame) }
        counted = (counted + frames[head...]).filter(\.type.isCounted)
        self = ControlQueue()
        for frame in counted { append(frame) }
    }

    /// What waits, and waits no longer here.
    mutating func takeWaiting() -> ControlQueue {
        defer { self = ControlQueue() }
        return self
    }

    /// What waited elsewhere follows.
    mutating func append(_ other: ControlQueue) {
        for frame in other.frames[other.head...] { append(frame) }
    }

    private mutating func append(_ frame: QueuedFrame) {
        byteCount += frame.bytes.count
        frames.append(frame)
    }

    /// CREDIT that goes before all that waits.
    mutating func insertFirst(_ credits: [Credit]) {
        guard !credits.isEmpty else { return }
        let waiting = takeWaiting()
        for credit in credits { append(credit) }
        append(waiting)
    }

    /// Whether a frame that waits names a stream or file.
    func names(_ number: UInt64) -> Bool {
        held.contains { $0.number == number } || frames[head...].contains { $0.number == number }
    }

    // MARK: Writing

    /// Writes what fits up to place `end` of the output. The rest waits.
    @_lifetime(output: copy output)
    mutating func write(
        upTo end: Int, to output: inout OutputSpan<UInt8>, keeping kept: inout KeptFrames
    ) {
        while let frame = next(keeping: kept) {
            guard frame.bytes.count <= end - output.count else { return }
            output.append(copying: frame.bytes.span)
            leave(frame, keeping: &kept)
        }
    }

    /// Takes out all frames that may go out, which they do before any other. What is held beyond that is dropped.
    mutating func takeAll(keeping kept: inout KeptFrames) -> [QueuedFrame] {
        var taken: [QueuedFrame] = []
        while let frame = next(keeping: kept) {
            taken.append(frame)
            leave(frame, keeping: &kept)
        }
        self = ControlQueue()
        return taken
    }

    /// The frame that goes out next. Those that must wait are put aside.
    private mutating func next(keeping kept: KeptFrames) -> QueuedFrame? {
        if kept.hasRoom, let frame = held.first { return frame }
        while !isEmpty {
            let frame = frames[head]
            guard mustWait(frame, keeping: kept) else { return frame }
            held.append(frame)
            removeFirst()
        }
        return nil
    }

    private func mustWait(_ frame: QueuedFrame, keeping kept: KeptFrames) -> Bool {
        if frame.type == .streamOpen || frame.type == .fileOffer { return !kept.hasRoom }
        guard isHolding, let number = frame.number else { return false }
        return held.contains { $0.number == number }
    }

    /// The frame of ``next(keeping:)`` has gone out.
    private mutating func leave(_ frame: QueuedFrame, keeping kept: inout KeptFrames) {
        byteCount -= frame.bytes.count
        // As in `next(keeping:)`, before the frame is kept.
        if kept.hasRoom, isHolding { _ = held.next() } else { removeFirst() }
        if frame.type.isCounted { kept.append(KeptFrame(whole: frame.bytes)) }
    }

    private mutating func removeFirst() {
        head += 1
        guard isEmpty else { return }
        frames.removeAll(keepingCapacity: head < 64)
        head = 0
    }
}

/// A frame that names a stream or a file.
protocol NumberedFrame: ControlFrame {
    var id: UInt64 { get }
}

extension StreamOpen: NumberedFrame {}
extension StreamEnd: NumberedFrame {}
extension StreamReset: NumberedFrame {}
extension StreamStop: NumberedFrame {}
extension FileOffer: NumberedFrame {}
extension FileAccept: NumberedFrame {}
extension FileEnd: NumberedFrame {}
extension FileDone: NumberedFrame {}
extension FileCancel: NumberedFrame {}
