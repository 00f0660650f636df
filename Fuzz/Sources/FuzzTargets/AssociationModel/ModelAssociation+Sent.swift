import FuzzSupport

/// What the honest peer sends, judged frame by frame: whether it may, and whether it is what it must be.
extension ModelAssociation {
    /// A frame of an open link went out.
    mutating func observe(_ frame: ModelSent) throws {
        var reader = ModelReader(frame.payload)
        noteSent(frame.type)
        if let index = owed.firstIndex(of: frame) {
            try requireBegun(frame, at: index)
            owed.remove(at: index)
            return
        }
        switch frame.type {
        case 0x14: try observePing()
        case 0x16: try observePong(frame.payload)
        case 0x18: try observeCredit(&reader)
        case 0x1A: try observeAck(frame.payload)
        case 0x40: try observeMessage(frame.payload)
        case 0x42: try observePart(frame.payload)
        case 0x52: try observeAccept(&reader)
        case 0x56: try observeFileData(&reader)
        case 0x58: try observeFileEnd(&reader)
        case 0x62: try observeStreamData(&reader)
        case 0x64: try observeStreamEnd(&reader)
        case 0x54, 0x66, 0x68: try observeAbandoning(frame.type, &reader)
        default: throw OracleFailure("a frame that nothing asked for: \(frame)")
        }
    }

    /// R15.2-2: nothing of a number goes out before what begins it.
    private func requireBegun(_ frame: ModelSent, at index: Int) throws {
        guard frame.type >= 0x50 else { return }
        var reader = ModelReader(frame.payload)
        let id = try reader.varint()
        try requireBegun(id, owed[..<index], frame.type)
    }

    private func requireBegun(_ id: UInt64, _ owed: some Sequence<ModelSent>, _ type: UInt64) throws {
        for other in owed where other.type == 0x50 || other.type == 0x60 {
            var reader = ModelReader(other.payload)
            try require(try reader.varint() != id, "a frame of type \(type) before what begins \(id)")
        }
    }

    /// R13.7-3.
    private mutating func observePing() throws(OracleFailure) {
        try require(
            keepsAlive && now >= max(lastHeard, lastAsked) + 5_000_000_000, "PING, \(now - lastHeard) ns after a record"
        )
        lastAsked = now
    }

    /// R13.7-1: of several the last alone may be answered.
    private mutating func observePong(_ data: [UInt8]) throws(OracleFailure) {
        guard let index = owedPongs.lastIndex(of: data) else { throw OracleFailure("PONG that answers no PING") }
        owedPongs.removeFirst(index + 1)
    }

    /// R13.4-2, R13.4-3, and no more than §13.5 says for what needs no memory of a pool.
    private mutating func observeCredit(_ reader: inout ModelReader) throws {
        let (kind, id, limit) = try reader.credit()
        switch kind {
        case 0:
            let most = messages.released + 262_144
            let rest = partial.map { messages.used + $0.total - UInt64($0.bytes.count) } ?? 0
            try require(limit <= max(most, rest) || isAbandoned, "CREDIT of \(limit) for messages, \(most) or \(rest)")
            try messages.raise(to: limit, "messages")
        case 1:
            try require(limit <= openings.released + 32 || isAbandoned, "CREDIT of \(limit) openings")
            try openings.raise(to: limit, "openings")
        case 2:
            try require(limit <= offers.released + 32 || isAbandoned, "CREDIT of \(limit) offers")
            try offers.raise(to: limit, "offers")
        case 3:
            guard var stream = streams[id], stream.receiving != .ended else {
                throw OracleFailure("CREDIT for stream \(id), whose direction is not there")
            }
            try requireBegun(id, owed, 0x18)
            let most = stream.window.released + max(stream.firstLimit, 1_048_576 + 32_768)
            try require(limit <= most || isAbandoned, "CREDIT of \(limit) for stream \(id)")
            try stream.window.raise(to: limit, "stream \(id)")
            streams[id] = stream
        default:
            guard var file = incoming[id], file.state != .offered, file.owedAccept == nil else {
                throw OracleFailure("CREDIT for file \(id), which is not accepted")
            }
            try file.window.raise(to: limit, "file \(id)")
            incoming[id] = file
        }
    }

    // MARK: Streams

    /// §15.6, R13.3-1.
    private mutating func observeStreamData(_ reader: inout ModelReader) throws {
        let (id, data) = (try reader.varint(), try reader.data())
        try requireBegun(id, owed, 0x62)
        guard var stream = streams[id], stream.sending != .ended else {
            throw OracleFailure("STREAM_DATA of \(id), whose direction has ended")
        }
        let start = stream.allowance.used
        try require(start + UInt64(data.count) <= stream.written, "more than stream \(id) was given")
        let right = SessionFile.content(of: 0, file: id, from: start, count: data.count)
        try require(data == right, "other bytes than stream \(id) was given")
        try stream.allowance.spend(UInt64(data.count), "stream \(id)")
        streams[id] = stream
    }

    /// R15.6-3, R15.2-2.
    private mutating func observeStreamEnd(_ reader: inout ModelReader) throws {
        let (id, size) = try reader.numberAndVarint()
        try requireBegun(id, owed, 0x64)
        guard var stream = streams[id], stream.sending == .finishing else {
            throw OracleFailure("STREAM_END of \(id), which nobody ends")
        }
        try requireEqual(size, stream.allowance.used, "the size of stream \(id)")
        try requireEqual(stream.waiting, 0, "what waits of stream \(id) behind its end")
        stream.sending = .ended
        put(stream, id)
    }

    // MARK: Files

    /// R15.7-2, R15.7-4. The credit is the receiver's own matter.
    private mutating func observeAccept(_ reader: inout ModelReader) throws {
        let (id, offset, hash, credit) = try reader.accept()
        guard var file = incoming[id], let owed = file.owedAccept else { throw OracleFailure("FILE_ACCEPT of \(id)") }
        try require(owed.offset == offset && owed.hash == hash, "FILE_ACCEPT of \(id) from \(offset) on")
        file.owedAccept = nil
        file.window.limit = offset + credit
        incoming[id] = file
    }

    /// R15.3-3, R13.3-1.
    private mutating func observeFileData(_ reader: inout ModelReader) throws {
        let (id, offset, data) = (try reader.varint(), try reader.varint(), try reader.data())
        guard var file = outgoing[id], file.state == .sending else { throw OracleFailure("FILE_DATA of \(id)") }
        try requireEqual(offset, file.allowance.used, "where FILE_DATA of \(id) is")
        try require(offset + UInt64(data.count) <= file.supplied, "more than file \(id) was given")
        try require(data == file.content(from: offset, count: data.count), "other bytes than file \(id) was given")
        try file.allowance.spend(UInt64(data.count), "file \(id)")
        outgoing[id] = file
    }

    private mutating func observeFileEnd(_ reader: inout ModelReader) throws {
        let (id, hash) = (try reader.varint(), try reader.take(32))
        try reader.fieldsAndEnd()
        guard var file = outgoing[id], file.state == .sending else { throw OracleFailure("FILE_END of \(id)") }
        try requireEqual(file.allowance.used, file.offer.size, "how much of file \(id) has gone before its end")
        let whole = file.content(from: 0, count: Int(file.offer.size))
        try require(hash == ModelBinding.sha256(whole), "the hash of file \(id)")
        file.state = .sent
        outgoing[id] = file
    }

    /// R16.1-5: what is live when the app closes may be given up by frames.
    private mutating func observeAbandoning(_ type: UInt64, _ reader: inout ModelReader) throws {
        let id = try reader.varint()
        try require(isAbandoned, "a frame of type \(type) that nothing asked for")
        switch (type, judge(id)) {
        case (0x54, .ownFile):
            try require(outgoing[id]?.state != .sent, "FILE_CANCEL of a file whose FILE_END is sent")
            outgoing[id] = nil
        case (0x54, .fileOfPeer):
            guard var file = incoming[id], !file.isCancelled else { throw OracleFailure("FILE_CANCEL of \(id), twice") }
            file.state = .cancelled(mayCome: file.state == .receiving)
            incoming[id] = file
        case (0x66, .stream): try give(id) { $0.sending = .ended }
        case (0x68, .stream): try give(id) { $0.receiving = .stopping }
        default: throw OracleFailure("a frame of type \(type) for \(id)")
        }
    }

    private mutating func give(_ id: UInt64, _ change: (inout ModelStream) -> Void) throws(OracleFailure) {
        guard var stream = streams[id] else { return }
        let before = (stream.sending, stream.receiving)
        change(&stream)
        try require(before != (stream.sending, stream.receiving), "a direction of \(id) that is given up twice")
        if stream.receiving == .stopping { stream.drop() }
        put(stream, id)
    }

    // MARK: When nothing more goes out

    /// All that must have gone out has.
    mutating func requireSettled() throws(OracleFailure) {
        try require(owed.isEmpty, "not sent: \(owed)")
        try require(owedPongs.isEmpty, "PING without PONG")
        try require(!canSendMessage, "a message waits, and there is credit for it")
        for (id, stream) in streams {
            try require(
                stream.waiting == 0 || stream.allowance.room == 0, "stream \(id) waits, and there is credit for it")
            try require(stream.sending != .finishing || stream.waiting > 0, "stream \(id) does not end")
        }
        for (id, file) in outgoing { try requireSettled(id, file) }
        for (id, file) in incoming {
            try require(file.owedAccept == nil, "file \(id) is accepted, and FILE_ACCEPT not sent")
        }
        try settleWindows()
        try settleAck()
        let asked = max(lastHeard, lastAsked)
        try require(!keepsAlive || now < asked + 5_000_000_000, "PING is due")
    }

    private func requireSettled(_ id: UInt64, _ file: ModelOutgoingFile) throws(OracleFailure) {
        guard file.state == .sending else { return }
        try require(
            file.supplied == file.allowance.used || file.allowance.room == 0,
            "file \(id) waits, and there is credit for it")
        try require(file.allowance.used < file.offer.size, "file \(id) does not end")
        let isLacking = file.supplied == file.allowance.used && file.allowance.room > 0
        try require(!isLacking || file.wanted != nil, "file \(id) has credit, and asks for nothing")
    }

    private mutating func settleWindows() throws(OracleFailure) {
        try messages.settle("messages", at: now)
        if let partial, messages.limit == messages.used {
            throw OracleFailure("the peer may not continue with a message of \(partial.total) (R13.5-3)")
        }
        try openings.settle("openings", at: now)
        try offers.settle("offers", at: now)
        for id in streams.keys where streams[id]?.receiving == .receiving {
            try streams[id]?.window.settle("stream \(id)", at: now)
        }
        for id in incoming.keys where incoming[id]?.state == .receiving {
            try incoming[id]?.window.settle("file \(id)", at: now)
        }
    }
}
