import MultipeerWire

/// Which numbers one of the two peers gives its streams and files (SPEC §13.2).
enum NumberParity: UInt64, Sendable {
    /// Those of the peer with the lesser identity key.
    case even = 0
    case odd = 1

    var other: NumberParity { self == .even ? .odd : .even }
    var first: UInt64 { rawValue }

    func contains(_ id: UInt64) -> Bool { id % 2 == rawValue }
}

/// What a live number is.
enum LiveKind: Sendable {
    case stream
    case file
}

/// The one space of numbers that streams and files share (SPEC §13.2). A number is unused, live or ended. What is live is
/// known to the table that holds it, so that nothing is remembered of what has ended.
struct NumberSpace: Sendable {
    /// The numbers of what the local peer begins.
    let own: NumberParity
    private var nextOwn: UInt64
    private var nextOfPeer: UInt64

    init(own: NumberParity) {
        self.own = own
        nextOwn = own.first
        nextOfPeer = own.other.first
    }

    /// Whether the local peer began, or will begin, what has this number.
    func isOwn(_ id: UInt64) -> Bool { own.contains(id) }

    /// Whether the number is live or has ended.
    func hasBegun(_ id: UInt64) -> Bool { id < (isOwn(id) ? nextOwn : nextOfPeer) }

    /// The number of the local peer's next stream or file.
    mutating func takeOwn() -> UInt64 {
        defer { nextOwn += 2 }
        return nextOwn
    }

    /// The peer begins a stream or a file.
    /// - Throws: `malformed` unless it is the peer's next number (R13.2-1). `field` is the place of the number.
    mutating func begin(_ id: UInt64, in field: WireField) throws(LinkFailureCause) {
        guard id == nextOfPeer else { throw .malformed(WireError(.valueOutOfRange, in: field)) }
        nextOfPeer += 2
    }

    /// Judges a frame by the number that it names: whether it counts, or crossed the end of its number and is ignored.
    /// - Parameters:
    ///   - frame: The frame, which is about a stream or file that has begun.
    ///   - subject: What the frame is about.
    ///   - id: The number that it names.
    ///   - live: What has this number now; nil if nothing has.
    /// - Throws: `unexpected_frame` (R13.2-2, R13.4-3, R15.3-12).
    func admits(
        _ frame: FrameType, about subject: LiveKind, naming id: UInt64, live: LiveKind?
    ) throws(LinkFailureCause) -> Bool {
        guard hasBegun(id) else { throw .unexpected(frame) }
        guard let live else {
            if frame.mayCrossEnd { return false }
            throw .unexpected(frame)
        }
        guard live == subject else { throw .unexpected(frame) }
        switch (subject, frame) {
        // What the sender of the frame sends of its own file, and what it answers to a file of the local peer.
        case (.file, .fileData), (.file, .fileEnd): if isOwn(id) { throw .unexpected(frame) }
        case (.file, .fileAccept), (.file, .fileDone), (.file, .credit): if !isOwn(id) { throw .unexpected(frame) }
        default: break
        }
        return true
    }
}

extension FrameType {
    /// Whether the frame may name a number that has ended: it was sent before its sender knew of the end (R13.2-3).
    fileprivate var mayCrossEnd: Bool {
        switch self {
        case .credit, .streamStop, .fileAccept, .fileCancel, .fileDone: true
        default: false
        }
    }
}

extension LinkFailureCause {
    /// A frame that must not come now.
    static func unexpected(_ type: FrameType) -> LinkFailureCause { .violation(.unexpectedFrame(type.rawValue)) }
}
