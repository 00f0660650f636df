/// Messages and files, as SPEC §15 says.
struct ModelPayload {
    /// Whether the link was open when it closed.
    var wasOpen = false
    /// The message under way.
    var message: (total: UInt64, bytes: [UInt8])?
    var incoming = ModelIncoming()
    var outgoing = ModelOutgoing()

    /// §15.3: the side with the lesser identity key offers 0, 2, 4, …, and the other side 1, 3, 5, ….
    init(hasLesserKey: Bool) {
        (outgoing.id, incoming.id) = hasLesserKey ? (0, 1) : (1, 0)
    }

    mutating func receive(
        _ type: UInt64, _ bytes: [UInt8], _ maximum: UInt64, _ events: inout [ModelEvent], _ sent: inout [ModelSent]
    ) throws(ModelFault) {
        switch type {
        case 0x40: try receiveMessage(bytes, maximum, &events)
        case 0x42: try receivePart(bytes, &events)
        case 0x50: try incoming.receiveOffer(bytes, &events)
        case 0x52: try outgoing.receiveAccept(bytes, &events, &sent)
        case 0x54: try receiveCancel(bytes, &events)
        case 0x56: try incoming.receiveData(bytes, &events)
        case 0x58: try incoming.receiveEnd(bytes, &events, &sent)
        case 0x5A: try outgoing.receiveDone(bytes, &events)
        default: throw .unexpectedFrame
        }
    }

    /// R15.1-1 to R15.1-3, fields first.
    private mutating func receiveMessage(
        _ bytes: [UInt8], _ maximum: UInt64, _ events: inout [ModelEvent]
    ) throws(ModelFault) {
        var reader = ModelReader(bytes)
        let total = try reader.varint()
        guard total <= maximum else { throw .limitExceeded }
        let data = Array(reader.rest)
        guard UInt64(data.count) <= total, !data.isEmpty || total == 0 else { throw .malformed }
        guard message == nil else { throw .unexpectedFrame }
        message = (total, data)
        complete(&events)
    }

    private mutating func receivePart(_ bytes: [UInt8], _ events: inout [ModelEvent]) throws(ModelFault) {
        guard !bytes.isEmpty else { throw .malformed }
        guard let begun = message else { throw .unexpectedFrame }
        guard UInt64(begun.bytes.count + bytes.count) <= begun.total else { throw .malformed }
        message?.bytes += bytes
        complete(&events)
    }

    private mutating func complete(_ events: inout [ModelEvent]) {
        guard let whole = message, UInt64(whole.bytes.count) == whole.total else { return }
        events.append(.message(whole.bytes))
        message = nil
    }

    /// §15.4: the number says whose file it is.
    private mutating func receiveCancel(_ bytes: [UInt8], _ events: inout [ModelEvent]) throws(ModelFault) {
        var reader = ModelReader(bytes)
        let (id, byte) = (try reader.varint(), try reader.byte())
        try reader.fields()
        try reader.end()
        let reason = (1...6).contains(byte) ? byte : 2
        if id % 2 == incoming.id % 2 {
            try incoming.endByPeer(id, reason, &events)
        } else {
            try outgoing.endByPeer(id, reason, &events)
        }
    }

    mutating func cancelFiles(_ events: inout [ModelEvent], _ sent: inout [ModelSent]) {
        if outgoing.isActive { outgoing.cancel(2, &events, &sent) }
        if incoming.isActive { incoming.refuse(2, &events, &sent) }
    }
}

/// The peer's files.
struct ModelIncoming {
    enum State { case idle, offered, moving, whole }

    var state = State.idle
    /// The number of the file under way, or of the next.
    var id: UInt64 = 0
    /// The last file, where this side ended it.
    var cancelled: UInt64?
    var size: UInt64 = 0
    var bytes: [UInt8] = []

    var isActive: Bool { state != .idle }

    mutating func receiveOffer(_ payload: [UInt8], _ events: inout [ModelEvent]) throws(ModelFault) {
        var reader = ModelReader(payload)
        let (offered, length) = (try reader.varint(), try reader.varint())
        guard length <= 9_007_199_254_740_991 else { throw .malformed }
        let name = try reader.vector(1, 255)
        guard String(validating: name, as: UTF8.self) != nil else { throw .malformed }
        try reader.fields()
        try reader.end()
        guard !isActive else { throw .unexpectedFrame }
        guard offered == id else { throw .malformed }
        (state, size, bytes, cancelled) = (.offered, length, [], nil)
        events.append(.offered(id, name: name, size: length))
    }

    mutating func receiveData(_ payload: [UInt8], _ events: inout [ModelEvent]) throws(ModelFault) {
        var reader = ModelReader(payload)
        let (file, offset) = (try reader.varint(), try reader.varint())
        let data = Array(reader.rest)
        guard !data.isEmpty else { throw .malformed }
        if file == cancelled { return }
        guard file == id, state == .moving else { throw .unexpectedFrame }
        guard offset == UInt64(bytes.count), UInt64(bytes.count + data.count) <= size else { throw .malformed }
        bytes += data
        events.append(.data(id, data))
    }

    mutating func receiveEnd(
        _ payload: [UInt8], _ events: inout [ModelEvent], _ sent: inout [ModelSent]
    ) throws(ModelFault) {
        var reader = ModelReader(payload)
        let (file, digest) = (try reader.varint(), try reader.take(32))
        try reader.fields()
        try reader.end()
        if file == cancelled { return }
        guard file == id, state == .moving, UInt64(bytes.count) == size else { throw .unexpectedFrame }
        guard digest == digestOfAll else { return refuse(5, &events, &sent) }
        state = .whole
        events.append(.complete(id))
    }

    var digestOfAll: [UInt8] { ModelBinding.sha256(bytes) }

    mutating func endByPeer(_ file: UInt64, _ reason: UInt8, _ events: inout [ModelEvent]) throws(ModelFault) {
        if file < id { return }
        guard file == id, isActive else { throw .unexpectedFrame }
        events.append(.incomingEnded(id, reason: reason, byPeer: true))
        (state, id) = (.idle, id + 2)
    }

    /// This side ends it.
    mutating func refuse(_ reason: UInt8, _ events: inout [ModelEvent], _ sent: inout [ModelSent]) {
        sent.append(ModelSent(0x54, ModelSent.varint(id) + [reason, 0]))
        events.append(.incomingEnded(id, reason: reason, byPeer: false))
        (state, cancelled, id) = (.idle, id, id + 2)
    }

    mutating func confirm(_ sent: inout [ModelSent]) {
        sent.append(ModelSent(0x5A, ModelSent.varint(id) + [0]))
        (state, id) = (.idle, id + 2)
    }
}
