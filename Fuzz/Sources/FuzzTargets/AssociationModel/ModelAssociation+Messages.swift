import FuzzSupport

/// Messages: SPEC §15.1.
extension ModelAssociation {
    /// R15.1-1 to R15.1-3, fields first, and credit after them.
    mutating func receiveMessage(_ reader: inout ModelReader) throws(ModelFault) {
        let total = try reader.varint()
        guard total <= maximumMessage else { throw .limitExceeded }
        let data = Array(reader.rest)
        guard UInt64(data.count) <= total, !data.isEmpty || total == 0 else { throw .malformed }
        guard partial == nil else { throw .unexpectedFrame }
        try messages.use(64 + UInt64(data.count))
        partial = (total, data)
        complete()
    }

    mutating func receivePart(_ data: [UInt8]) throws(ModelFault) {
        guard !data.isEmpty else { throw .malformed }
        guard let begun = partial else { throw .unexpectedFrame }
        guard UInt64(begun.bytes.count + data.count) <= begun.total else { throw .malformed }
        try messages.use(UInt64(data.count))
        partial?.bytes += data
        complete()
    }

    private mutating func complete() {
        guard let whole = partial, UInt64(whole.bytes.count) == whole.total else { return }
        events.append(.message(whole.bytes))
        partial = nil
        untaken.append(64 + whole.total)
    }

    // MARK: The app

    mutating func send(count: Int) {
        lastTag += 1
        waiting.append(ModelMessage(tag: lastTag, count: count))
    }

    /// Whether nothing of the message has been sent, so that it can be taken back (§15.1).
    func mayTakeBack(_ tag: UInt64) -> Bool { waiting.contains { $0.tag == tag && $0.sent == nil } }

    /// The app takes the message that came first; returns what that releases.
    mutating func takeMessage() -> UInt64 {
        guard !untaken.isEmpty else { return 0 }
        let credit = untaken.removeFirst()
        messages.release(credit)
        return credit
    }

    /// R13.6-3: what has become of a message of a link that has ended.
    mutating func settle(_ tag: UInt64, isInDoubt: Bool) throws(OracleFailure) {
        if isInDoubt {
            guard let index = sentFrames.firstIndex(of: tag) else {
                throw OracleFailure("message \(tag) was not sent whole, or is acknowledged, and in doubt")
            }
            sentFrames[index] = nil as UInt64?
        } else {
            try require(waiting.contains { $0.tag == tag }, "message \(tag) was sent whole, and not sent")
            waiting.removeAll { $0.tag == tag }
        }
    }

    /// The link has ended: every message has had its result.
    func requireResults() throws(OracleFailure) {
        let sent = sentFrames.compactMap(\.self)
        try require(waiting.isEmpty && sent.isEmpty, "messages without a result: \(waiting), \(sent)")
    }

    // MARK: What is sent

    /// R15.1-5, R13.3-1: the messages go out in order, whole, and within credit.
    mutating func observeMessage(_ payload: [UInt8]) throws {
        guard var first = waiting.first, first.sent == nil else { throw OracleFailure("MESSAGE, and none is to begin") }
        var reader = ModelReader(payload)
        try requireEqual(try reader.varint(), UInt64(first.count), "the length of message \(first.tag)")
        let data = Array(reader.rest)
        try require(!data.isEmpty || first.count == 0, "MESSAGE without a byte")
        try allowance.spend(64 + UInt64(data.count), "messages")
        first.sent = 0
        try advance(&first, data)
    }

    mutating func observePart(_ data: [UInt8]) throws {
        guard var first = waiting.first, first.sent != nil else {
            throw OracleFailure("MESSAGE_PART, and none has begun")
        }
        try require(!data.isEmpty, "MESSAGE_PART without a byte")
        try allowance.spend(UInt64(data.count), "messages")
        try advance(&first, data)
    }

    private mutating func advance(_ message: inout ModelMessage, _ data: [UInt8]) throws(OracleFailure) {
        let (start, end) = (message.sent ?? 0, (message.sent ?? 0) + data.count)
        try require(end <= message.count, "more than message \(message.tag) has")
        let right = SessionFile.message(of: 0, number: message.count, count: message.count)
        try require(data.elementsEqual(right[start..<end]), "other bytes than message \(message.tag) has")
        message.sent = end
        waiting[0] = message
        guard end == message.count else { return }
        waiting.removeFirst()
        // The frame is the last one that was sent.
        sentFrames[sentFrames.count - 1] = message.tag
    }

    /// The first message that waits must have begun, and gone on, as far as credit allows (R15.1-5).
    var canSendMessage: Bool {
        guard let first = waiting.first else { return false }
        return first.sent != nil ? allowance.room > 0 : allowance.room >= (first.count == 0 ? 64 : 65)
    }
}
