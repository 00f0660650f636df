import FuzzSupport

/// The frames that must not be lost, and what is said of them: SPEC §13.6.
extension ModelAssociation {
    /// MESSAGE, MESSAGE_PART, the stream frames, those of files but FILE_DATA and FILE_END, ADMIT, UNITE and ENTER.
    private static let counted: Set<UInt64> = [
        0x1C, 0x2A, 0x2C, 0x40, 0x42, 0x50, 0x52, 0x54, 0x5A, 0x60, 0x62, 0x64, 0x66, 0x68,
    ]

    // MARK: What comes

    /// A frame of the peer has been acted on, ignored or dropped. No app here drops messages, so that none is held back
    /// by §16.4.
    mutating func noteProcessed(_ type: UInt64, _ payload: [UInt8]) {
        guard Self.counted.contains(type) else { return }
        processed += 1
        unacknowledgedBytes += payload.count
        firstUnacknowledged = firstUnacknowledged ?? now
    }

    /// R13.6-2, R13.6-3: a message is delivered with its last frame.
    mutating func receiveAck(_ reader: inout ModelReader) throws(ModelFault) {
        let count = try reader.varint()
        try reader.end()
        guard count > acksHeard, count - acksHeard <= UInt64(sentFrames.count) else { throw .malformed }
        let number = Int(count - acksHeard)
        for tag in sentFrames.prefix(number).compactMap(\.self) { events.append(.delivered(tag)) }
        sentFrames.removeFirst(number)
        acksHeard = count
    }

    // MARK: What is sent

    /// A frame goes out. Which message it ends is known once it has been read.
    mutating func noteSent(_ type: UInt64) {
        if Self.counted.contains(type) { sentFrames.append(nil) }
    }

    /// R13.6-1: ACK is the newest count.
    mutating func observeAck(_ payload: [UInt8]) throws {
        var reader = ModelReader(payload)
        let count = try reader.varint()
        try reader.end()
        try require(count > acknowledged, "ACK of \(count) does not grow")
        try requireEqual(count, processed, "ACK counts the frames that are processed")
        (acknowledged, unacknowledgedBytes, firstUnacknowledged) = (count, 0, nil)
    }

    /// R13.6-1, the SHOULD.
    func settleAck() throws(OracleFailure) {
        let isDue =
            processed - acknowledged >= 64 || unacknowledgedBytes >= 65_536
            || firstUnacknowledged.map { now >= $0 + 20_000_000 } ?? false
        try require(!isDue || processed == acknowledged, "ACK of \(processed) is due")
    }
}
