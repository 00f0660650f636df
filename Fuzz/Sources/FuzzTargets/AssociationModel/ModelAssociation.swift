import FuzzSupport

/// What two peers say above an open link, by counters and tables (SPEC §13, §15). Shares no code with the package.
///
/// What must happen at once is compared as it is: what the app hears, and with which error a link fails. What SPEC.md
/// leaves open is judged as it comes (`ModelAssociation+Sent`): where a record ends, which class sends first, when
/// CREDIT goes out.
struct ModelAssociation {
    /// The longest message that the honest peer takes, and that its peer takes.
    var maximumMessage: UInt64
    var peerMaximum: UInt64 = 1 << 62 - 1
    /// The number of the next stream or file of either peer (R13.2-1).
    private(set) var nextOwn: UInt64
    var nextOfPeer: UInt64
    var now: UInt64 = 0

    // What is live, and what has ended and was not taken.
    var streams: [UInt64: ModelStream] = [:]
    var endedStreams: [UInt64: ModelStream] = [:]
    var outgoing: [UInt64: ModelOutgoingFile] = [:]
    var incoming: [UInt64: ModelIncomingFile] = [:]
    /// Files of the peer whose number has ended, or of whose end the app knows, but not both.
    var untoldFiles: Set<UInt64> = []
    var toldFiles: Set<UInt64> = []
    /// Files of the peer of whose end the app has heard, and which it has not taken.
    var untakenEnds: Set<UInt64> = []

    // Messages.
    var messages = ModelWindow(window: 262_144)
    var partial: (total: UInt64, bytes: [UInt8])?
    /// What the app has not taken, as credit counts it.
    var untaken: [UInt64] = []
    var waiting: [ModelMessage] = []
    var allowance = ModelAllowance(limit: 262_144)
    var lastTag: UInt64 = 0

    // Counted frames (§13.6): those of the peer that are processed, and what of them ACK has counted.
    var processed: UInt64 = 0
    var acknowledged: UInt64 = 0
    var unacknowledgedBytes = 0
    var firstUnacknowledged: UInt64?
    /// How many of the local peer's ACK has counted; and of each that was sent later the message that ends with it, if any.
    var acksHeard: UInt64 = 0
    var sentFrames: [UInt64?] = []

    // Openings and offers.
    var openings = ModelWindow(window: 32)
    var offers = ModelWindow(window: 32)
    var openingsOut = ModelAllowance(limit: 32)
    var offersOut = ModelAllowance(limit: 32)

    // What must be seen.
    var events: [ModelEvent] = []
    var owed: [ModelSent] = []
    var owedPongs: [[UInt8]] = []

    // Keep-alive (§13.7).
    var lastHeard: UInt64 = 0
    var lastAsked: UInt64 = 0
    var keepsAlive = false

    /// Whether the app has closed: what is live is given up (R16.1-5).
    var isAbandoned = false

    /// A message that waits, wholly or in part.
    struct ModelMessage {
        let tag: UInt64
        let count: Int
        var sent: Int?
    }

    /// §13.2: the lesser key has the even numbers.
    init(hasLesserKey: Bool, maximumMessage: UInt64) {
        (nextOwn, nextOfPeer) = hasLesserKey ? (0, 1) : (1, 0)
        self.maximumMessage = maximumMessage
    }

    mutating func takeOwnNumber() -> UInt64 {
        defer { nextOwn += 2 }
        return nextOwn
    }

    // MARK: Numbers

    enum Number { case unused, stream, fileOfPeer, ownFile, ended }

    func judge(_ id: UInt64) -> Number {
        if id >= (id % 2 == nextOwn % 2 ? nextOwn : nextOfPeer) { return .unused }
        if streams[id] != nil { return .stream }
        if outgoing[id] != nil { return .ownFile }
        return incoming[id] != nil ? .fileOfPeer : .ended
    }

    /// The stream that a frame names; nil if the frame crossed its end (R13.2-2, R13.2-3).
    private func stream(_ id: UInt64, mayCross: Bool) throws(ModelFault) -> ModelStream? {
        switch judge(id) {
        case .stream: return streams[id]
        case .ended where mayCross: return nil
        default: throw .unexpectedFrame
        }
    }

    // MARK: Frames

    /// Takes a frame of an open link. On a link that the local peer has closed only some are left (R16.1-3).
    mutating func receive(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        var reader = ModelReader(bytes)
        switch type {
        case 0x14: try receivePing(&reader)
        case 0x16:
            _ = try reader.take(8)
            try reader.end()
        case 0x18: try receiveCredit(&reader)
        case 0x1A: try receiveAck(&reader)
        case 0x40: try receiveMessage(&reader)
        case 0x42: try receivePart(bytes)
        case 0x50: try receiveOffer(&reader)
        case 0x52: try receiveAccept(&reader)
        case 0x54: try receiveCancel(&reader)
        case 0x56: try receiveFileData(&reader)
        case 0x58: try receiveFileEnd(&reader)
        case 0x5A: try receiveDone(&reader)
        case 0x60: try receiveOpen(&reader)
        case 0x62: try receiveStreamData(&reader)
        case 0x64: try receiveStreamEnd(&reader)
        case 0x66: try receiveReset(&reader)
        case 0x68: try receiveStop(&reader)
        default: throw .unexpectedFrame
        }
        noteProcessed(type, bytes)
    }

    /// R16.1-3: after the local CLOSE.
    mutating func receiveWhileClosing(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        switch type {
        case 0x1A, 0x40, 0x42: try receive(type, bytes)
        case 0x5A:
            var reader = ModelReader(bytes)
            let id = try reader.varint()
            try reader.fieldsAndEnd()
            guard outgoing[id]?.state == .sent else { return }
            outgoing[id] = nil
            events.append(.fileDelivered(id))
        default: break
        }
    }

    private mutating func receivePing(_ reader: inout ModelReader) throws(ModelFault) {
        let data = try reader.take(8)
        try reader.end()
        owedPongs.append(data)
    }

    private mutating func receiveCredit(_ reader: inout ModelReader) throws(ModelFault) {
        let (kind, id, limit) = try reader.credit()
        switch kind {
        case 0: try allowance.raise(to: limit)
        case 1: try openingsOut.raise(to: limit)
        case 2: try offersOut.raise(to: limit)
        case 3:
            // R13.4-3, R13.4-4.
            guard var stream = try self.stream(id, mayCross: true), stream.sending != .ended else { return }
            try stream.allowance.raise(to: limit)
            streams[id] = stream
        default:
            switch judge(id) {
            case .ended: return
            case .ownFile: break
            default: throw .unexpectedFrame
            }
            guard var file = outgoing[id], file.state != .offered else { throw .unexpectedFrame }
            try file.allowance.raise(to: limit)
            outgoing[id] = file
        }
    }

    // MARK: Streams

    private mutating func receiveOpen(_ reader: inout ModelReader) throws(ModelFault) {
        let (id, credit, name) = (try reader.varint(), try reader.varint(), try reader.text(0, 255))
        try reader.fieldsAndEnd()
        guard id == nextOfPeer else { throw .malformed }
        try openings.use(1)
        nextOfPeer += 2
        streams[id] = .ofPeer(credit: credit)
        events.append(.streamOpened(id, name: name))
    }

    private mutating func receiveStreamData(_ reader: inout ModelReader) throws(ModelFault) {
        let (id, data) = (try reader.varint(), try reader.data())
        // R13.2-2, R15.6-4, then credit.
        guard var stream = try self.stream(id, mayCross: false), stream.receiving != .ended else {
            throw .unexpectedFrame
        }
        try stream.window.use(UInt64(data.count))
        if stream.receiving == .stopping { stream.drop() } else { events.append(.streamData(id, data)) }
        streams[id] = stream
    }

    private mutating func receiveStreamEnd(_ reader: inout ModelReader) throws(ModelFault) {
        let (id, size) = try reader.numberAndVarint()
        guard var stream = try self.stream(id, mayCross: false), stream.receiving != .ended else {
            throw .unexpectedFrame
        }
        guard size == stream.window.used else { throw .malformed }
        if stream.receiving == .receiving { events.append(.streamEnded(id, code: nil)) }
        stream.receiving = .ended
        put(stream, id)
    }

    private mutating func receiveReset(_ reader: inout ModelReader) throws(ModelFault) {
        let (id, code) = try reader.numberAndVarint()
        guard var stream = try self.stream(id, mayCross: false), stream.receiving != .ended else {
            throw .unexpectedFrame
        }
        if stream.receiving == .receiving { events.append(.streamEnded(id, code: code)) }
        stream.receiving = .ended
        stream.drop()
        put(stream, id)
    }

    /// R15.6-5.
    private mutating func receiveStop(_ reader: inout ModelReader) throws(ModelFault) {
        let (id, code) = try reader.numberAndVarint()
        guard var stream = try self.stream(id, mayCross: true), stream.sending != .ended else { return }
        stream.sending = .ended
        owed.append(ModelSent(0x66, ModelSent.varint(id) + ModelSent.varint(code) + [0]))
        events.append(.streamStopped(id, code: code))
        put(stream, id)
    }

    /// A stream that has ended leaves the table; its opening comes back when the app has taken all of it (§13.5).
    mutating func put(_ stream: ModelStream, _ id: UInt64) {
        guard stream.hasEnded else {
            streams[id] = stream
            return
        }
        streams[id] = nil
        guard !stream.isOwn else { return }
        if stream.isDrained { openings.release(1) } else { endedStreams[id] = stream }
    }

    /// The app takes something of a stream that is live, or has ended and was not taken.
    mutating func take(_ id: UInt64, _ change: (inout ModelStream) -> Void) {
        if var stream = streams[id] {
            change(&stream)
            streams[id] = stream
        } else if var stream = endedStreams.removeValue(forKey: id) {
            change(&stream)
            put(stream, id)
        }
    }
}
