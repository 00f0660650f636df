/// The files that the honest side sends (SPEC §15.3).
struct ModelOutgoing {
    enum State { case idle, offered, moving, ended }

    var state = State.idle
    /// The number of the file under way, or of the next.
    var id: UInt64 = 0
    var size: UInt64 = 0
    var bytes: [UInt8] = []

    var isActive: Bool { state != .idle }
    var left: UInt64 { size - UInt64(bytes.count) }

    mutating func offer(_ name: [UInt8], _ length: UInt64, _ sent: inout [ModelSent]) {
        (state, size, bytes) = (.offered, length, [])
        sent.append(
            ModelSent(0x50, ModelSent.varint(id) + ModelSent.varint(length) + ModelSent.vector(name) + [0]))
    }

    /// Wants the next bytes, or says what all of them were.
    private mutating func goOn(_ events: inout [ModelEvent], _ sent: inout [ModelSent]) {
        if left > 0 {
            events.append(.wanted(id, offset: UInt64(bytes.count), maximum: Int(min(left, 65_280))))
        } else {
            let digest = ModelBinding.sha256(bytes)
            sent.append(ModelSent(0x58, ModelSent.varint(id) + digest + [0]))
            state = .ended
        }
    }

    /// The app supplies; the bytes go out at once.
    mutating func supply(_ chunk: [UInt8], _ events: inout [ModelEvent], _ sent: inout [ModelSent]) {
        let offset = UInt64(bytes.count)
        bytes += chunk
        sent.append(ModelSent(0x56, ModelSent.varint(id) + ModelSent.varint(offset) + chunk))
        goOn(&events, &sent)
    }

    mutating func cancel(_ reason: UInt8, _ events: inout [ModelEvent], _ sent: inout [ModelSent]) {
        sent.append(ModelSent(0x54, ModelSent.varint(id) + [reason, 0]))
        events.append(.outgoingEnded(id, reason: reason, byPeer: false))
        (state, id) = (.idle, id + 2)
    }

    mutating func receiveAccept(
        _ payload: [UInt8], _ events: inout [ModelEvent], _ sent: inout [ModelSent]
    ) throws(ModelFault) {
        let file = try number(payload)
        if isEnded(file) { return }
        guard file == id, state == .offered else { throw .unexpectedFrame }
        state = .moving
        events.append(.outgoingAccepted(id))
        goOn(&events, &sent)
    }

    mutating func receiveDone(_ payload: [UInt8], _ events: inout [ModelEvent]) throws(ModelFault) {
        let file = try number(payload)
        if isEnded(file) { return }
        guard file == id, state == .ended else { throw .unexpectedFrame }
        events.append(.delivered(id))
        (state, id) = (.idle, id + 2)
    }

    mutating func endByPeer(_ file: UInt64, _ reason: UInt8, _ events: inout [ModelEvent]) throws(ModelFault) {
        if isEnded(file) { return }
        guard file == id, isActive else { throw .unexpectedFrame }
        events.append(.outgoingEnded(id, reason: reason, byPeer: true))
        (state, id) = (.idle, id + 2)
    }

    /// One of this side's own, of an earlier offer.
    private func isEnded(_ file: UInt64) -> Bool { file < id && file % 2 == id % 2 }

    private func number(_ payload: [UInt8]) throws(ModelFault) -> UInt64 {
        var reader = ModelReader(payload)
        let file = try reader.varint()
        try reader.fields()
        try reader.end()
        return file
    }
}
