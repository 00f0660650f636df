import FuzzSupport
import MultipeerCore
import MultipeerWire

/// Messages as credit and ACK see them, and streams, between two models that share nothing but the bytes.
extension SessionWorld {
    // MARK: Messages

    /// The app takes all messages that it has.
    func takeMessages(_ side: Int) throws {
        let peer = peers[side]
        peer.link.releaseCredit(peer.memory.untaken, at: now)
        peer.toldTime = now
        peer.memory.untaken = 0
    }

    /// Of what has been begun nothing comes back (SPEC §15.1).
    func takeBack(_ side: Int, _ first: UInt8) throws {
        let peer = peers[side]
        guard !peer.memory.tags.isEmpty else { return }
        let place = peer.memory.tags.count - 1 - Int(first) % peer.memory.tags.count
        let isTaken = peer.link.takeBack(peer.memory.tags[place], at: now)
        peer.toldTime = now
        guard isTaken else { return }
        try require(peer.memory.results[place] == nil, "message \(place) comes back, and has a result")
        peer.memory.takenBack.insert(place)
    }

    /// R13.6-3.
    func take(_ range: MessageRange, _ result: MessageResult, of side: Int) throws {
        record.add(0x1A)
        let (peer, other) = (peers[side], peers[1 - side])
        for number in range.first.number...range.last.number {
            guard let place = peer.memory.tags.firstIndex(where: { $0.number == number }) else {
                throw OracleFailure("a result for a message that nobody sent")
            }
            try require(peer.memory.results[place] == nil, "two results for message \(place)")
            peer.memory.results[place] = result
            let arrived = peer.memory.sendable.prefix(other.memory.receivedMessages).contains(place)
            switch result {
            case .delivered: try require(arrived, "message \(place) is delivered, and has not arrived")
            case .notSent: try require(!arrived, "message \(place) is not sent, and has arrived")
            case .inDoubt: break
            @unknown default: throw OracleFailure("a result that the model does not know: \(result)")
            }
        }
    }

    /// At the end every message has its result.
    func checkResults(_ side: Int) throws(OracleFailure) {
        let memory = peers[side].memory
        guard memory.summary != nil else { return }
        try requireEqual(memory.results.count, memory.sent.count, "results of messages")
    }

    // MARK: What apps ask of streams

    func openStream(_ side: Int, _ first: UInt8) throws {
        let peer = peers[side]
        let credit: UInt64 = [32_768, 0, 100, 1 << 20][Int(first & 3)]
        let name = "stream \(first >> 2)"
        var id: StreamID?
        if isSending(side), peer.memory.streams.values.filter(\.isOwn).count >= 32 {
            id = try? peer.link.openStream(named: name, credit: credit, at: peer.toldTime)
        } else {
            try request(side, "openStream", isTimed: false, isAllowed: isSending(side)) {
                id = try $0.openStream(named: name, credit: credit, at: peers[side].toldTime)
            }
        }
        guard let id else { return }
        try requireEqual(id.rawValue, number(peer.memory.begun, of: side), "the number of a stream")
        peer.memory.begun += 1
        peer.memory.streams[id.rawValue] = SessionStream(
            id: id, name: name, isOwn: true, canWrite: true, hasEnded: credit == 0)
    }

    func writeStream(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let stream = pick(side, second) else { return }
        let count = first < 0xF0 ? Int(first) + 1 : 40_000
        guard count <= budget else { return }
        let bytes = SessionFile.content(of: side, file: stream.id.rawValue, from: stream.written, count: count)
        let isTaken = try request(side, "write", isTimed: false, isAllowed: isSending(side) && stream.canWrite) {
            try $0.write(bytes, to: stream.id, at: peers[side].toldTime)
        }
        guard isTaken else { return }
        budget -= count
        peers[side].memory.streams[stream.id.rawValue]?.written += UInt64(count)
    }

    func finishStream(_ side: Int, _ second: UInt8) throws {
        guard let stream = pick(side, second) else { return }
        let isTaken = try request(side, "finish", isTimed: false, isAllowed: isSending(side) && stream.canWrite) {
            try $0.finishStream(stream.id, at: peers[side].toldTime)
        }
        guard isTaken else { return }
        peers[side].memory.streams[stream.id.rawValue]?.canWrite = false
        peers[side].memory.streams[stream.id.rawValue]?.hasFinished = true
    }

    /// A direction that the app has finished may still be given up, until STREAM_END is sent: that is not seen from outside.
    func resetStream(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let stream = pick(side, second), !stream.hasFinished else { return }
        let isTaken = try request(side, "reset", isTimed: false, isAllowed: isSending(side) && stream.canWrite) {
            try $0.resetStream(stream.id, code: UInt64(first), at: peers[side].toldTime)
        }
        guard isTaken else { return }
        peers[side].memory.streams[stream.id.rawValue]?.canWrite = false
        peers[side].memory.streams[stream.id.rawValue]?.resetCode = UInt64(first)
    }

    func stopStream(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let stream = pick(side, second) else { return }
        let isAllowed = isSending(side) && !stream.hasEnded && stream.stopCode == nil
        let isTaken = try request(side, "stop", isTimed: false, isAllowed: isAllowed) {
            try $0.stopStream(stream.id, code: UInt64(first), at: peers[side].toldTime)
        }
        if isTaken { peers[side].memory.streams[stream.id.rawValue]?.stopCode = UInt64(first) }
    }

    func takeStream(_ side: Int, _ first: UInt8, _ second: UInt8) throws {
        guard let stream = pick(side, second) else { return }
        try takeStream(side, first < 0x80 ? Int(first) : .max, stream.id.rawValue)
    }

    /// The app takes bytes, and the end after the last of them.
    func takeStream(_ side: Int, _ count: Int, _ id: UInt64) throws {
        guard let stream = peers[side].memory.streams[id] else { return }
        let taken = min(UInt64(count), stream.received - stream.taken)
        peers[side].link.releaseCredit(Int(taken), of: stream.id, at: now)
        peers[side].toldTime = now
        peers[side].memory.streams[id]?.taken += taken
        guard stream.hasEnded, stream.taken + taken == stream.received, !stream.hasTakenEnd else { return }
        peers[side].link.tookEnd(of: stream.id, at: now)
        peers[side].memory.streams[id]?.hasTakenEnd = true
    }

    // MARK: What apps hear

    /// R15.6-7.
    func take(_ event: StreamEvent, of side: Int) throws {
        record.add(0x1B)
        let (peer, other) = (peers[side], peers[1 - side])
        // A peer that closes gives up what has not ended, with code 0 (R16.1-5).
        let farewell: UInt64? = other.memory.hasClosed ? 0 : nil
        switch event {
        case .opened(let id, let name):
            guard let sent = other.memory.streams[id.rawValue], sent.isOwn, sent.name == name else {
                throw OracleFailure("a stream that nobody opened: \(name)")
            }
            try require(peer.memory.streams[id.rawValue] == nil, "a stream that is opened twice")
            peer.memory.streams[id.rawValue] = SessionStream(
                id: id, name: name, isOwn: false, canWrite: !sent.hasEnded, hasEnded: false)
        case .data(let id, let bytes):
            record.add(bytes.span)
            let (stream, sent) = try both(id, side)
            let end = stream.received + UInt64(bytes.count)
            try require(!stream.hasEnded && stream.stopCode == nil, "bytes behind the end of a direction")
            try require(end <= sent.written, "bytes that nobody wrote")
            let right = SessionFile.content(of: 1 - side, file: id.rawValue, from: stream.received, count: bytes.count)
            try require(bytes == right, "other bytes than were written, from \(stream.received) on")
            peer.memory.streams[id.rawValue]?.received = end
        case .ended(let id, .linkEnded), .stopped(let id, code: nil):
            try require(peer.memory.streams[id.rawValue] != nil, "the end of a stream that nobody opened")
        case .ended(let id, let ending):
            let (stream, sent) = try both(id, side)
            try require(!stream.hasEnded && stream.stopCode == nil, "a direction that ends twice")
            switch ending {
            case .complete: try require(sent.hasFinished && stream.received == sent.written, "complete, and it is not")
            case .reset(let code): try requireEqual(sent.resetCode ?? farewell, code, "the code of a direction")
            default: throw OracleFailure("an ending that the model does not know: \(ending)")
            }
            peer.memory.streams[id.rawValue]?.hasEnded = true
        case .stopped(let id, let code):
            let (stream, sent) = try both(id, side)
            try require(stream.resetCode == nil, "a direction that is given up twice")
            try requireEqual(sent.stopCode ?? farewell, code, "the code of STREAM_STOP")
            peer.memory.streams[id.rawValue]?.resetCode = code
            peer.memory.streams[id.rawValue]?.canWrite = false
        case .writable(let id):
            try require(peer.memory.streams[id.rawValue]?.canWrite == true, "a direction that is over")
        case .mayOpen: break
        @unknown default: throw OracleFailure("a stream event that the model does not know: \(event)")
        }
    }

    /// A stream as both peers see it.
    private func both(_ id: StreamID, _ side: Int) throws(OracleFailure) -> (SessionStream, SessionStream) {
        guard let own = peers[side].memory.streams[id.rawValue], let other = peers[1 - side].memory.streams[id.rawValue]
        else { throw OracleFailure("a stream that only one side knows: \(id.rawValue)") }
        return (own, other)
    }

    private func pick(_ side: Int, _ byte: UInt8) -> SessionStream? {
        let streams = peers[side].memory.streams
        let ids = streams.keys.sorted()
        guard let last = ids.last else { return nil }
        return streams[byte < 0xC0 ? last : ids[Int(byte) % ids.count]]
    }
}
