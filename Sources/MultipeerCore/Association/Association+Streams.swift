import MultipeerWire

/// Streams: what the app asks, and what the peer sends (SPEC §15.6).
extension Association {
    /// What the peer takes of a stream that the local peer opened, before CREDIT (SPEC §13.3).
    static let firstStreamLimit = BulkMemory.base

    // MARK: Requests

    /// Opens a stream.
    mutating func openStream(name: [UInt8], credit: UInt64) throws(RequestError) -> StreamID {
        guard name.count <= StreamOpen.maximumNameLength, Utf8.isWellFormed(name.span), credit <= VarInt.maximum else {
            throw .invalidStream
        }
        guard openingsOut.room > 0 else { throw .tooManyStreams }
        openingsOut.use(1)
        let id = numbers.takeOwn()
        // What is granted to streams of one's own needs memory as well (R13.5-4).
        let first = asksForMemory ? min(credit, BulkMemory.base) : credit
        streams[id] = StreamItem(
            isOwn: true, sender: StreamSender(limit: Self.firstStreamLimit), receiver: StreamReceiver(size: first))
        bulkMemory.claim(min(credit, BulkMemory.most) - min(first, BulkMemory.most), for: id)
        control.append(StreamOpen(id: id, credit: first, name: name))
        return StreamID(rawValue: id)
    }

    /// Queues bytes for a stream.
    mutating func write(_ bytes: [UInt8], to stream: StreamID) throws(RequestError) {
        guard let item = streams[stream.rawValue], item.sender.write(bytes) else { throw .unknownStream }
        enqueue(stream.rawValue, item)
    }

    /// Ends the local direction after what waits.
    mutating func finish(_ stream: StreamID) throws(RequestError) {
        guard let item = streams[stream.rawValue], item.sender.finish() else { throw .unknownStream }
        settleEnd(of: stream.rawValue, item)
    }

    /// Gives up the local direction.
    mutating func reset(_ stream: StreamID, code: UInt64) throws(RequestError) {
        guard let item = streams[stream.rawValue], code <= VarInt.maximum, item.sender.giveUp() else {
            throw .unknownStream
        }
        control.append(StreamReset(id: stream.rawValue, code: code))
        removeIfEnded(stream.rawValue, item)
    }

    /// Asks the peer to give its direction up; what still comes is dropped.
    mutating func stop(_ stream: StreamID, code: UInt64) throws(RequestError) {
        guard let item = streams[stream.rawValue], code <= VarInt.maximum, item.receiver.stop() else {
            throw .unknownStream
        }
        item.hasTakenEnd = true
        control.append(StreamStop(id: stream.rawValue, code: code))
    }

    /// The app has taken bytes of a stream.
    mutating func releaseCredit(_ count: Int, of stream: StreamID) {
        let id = stream.rawValue
        guard let item = streams[id] ?? endedStreams[id] else { return }
        item.receiver.releaseCredit(count)
        if streams[id] != nil { queueCredit(id, item) }
        // The app is fast enough to empty half of what the stream has by right.
        if asksForMemory, !item.isOwn, item.isCreditQueued, !item.hasClaimed {
            item.hasClaimed = true
            bulkMemory.claim(BulkMemory.most - BulkMemory.base, for: id)
        }
        settleDrained(id, item)
    }

    /// The app has taken the end of the peer's direction.
    mutating func tookEnd(of stream: StreamID) {
        guard let item = streams[stream.rawValue] ?? endedStreams[stream.rawValue] else { return }
        item.hasTakenEnd = true
        settleDrained(stream.rawValue, item)
    }

    // MARK: Frames

    /// Takes a stream frame.
    mutating func receiveStream(
        _ frame: borrowing RawFrame, type: FrameType, into effects: inout EffectQueue
    ) throws(LinkFailureCause) {
        switch type {
        case .streamOpen: try open(try frame.decode(StreamOpen.self), into: &effects)
        case .streamData: try receiveStreamData(frame.payload, into: &effects)
        case .streamEnd:
            let end = try frame.decode(StreamEnd.self)
            guard let item = try stream(end.id, for: type) else { return }
            let isNews = try item.receiver.end(size: end.size)
            ended(end.id, item, .complete, isNews: isNews, into: &effects)
        case .streamReset:
            let reset = try frame.decode(StreamReset.self)
            guard let item = try stream(reset.id, for: type) else { return }
            let isNews = try item.receiver.reset()
            ended(reset.id, item, .reset(reset.code), isNews: isNews, into: &effects)
        default:
            let stop = try frame.decode(StreamStop.self)
            guard let item = try stream(stop.id, for: type), item.sender.giveUp() else { return }
            control.append(StreamReset(id: stop.id, code: stop.code))
            effects.emit(.stream(.stopped(StreamID(rawValue: stop.id), code: stop.code)))
            removeIfEnded(stop.id, item)
        }
    }

    /// The stream that a frame names; nil if the frame crossed its end (R13.2-3).
    private mutating func stream(_ id: UInt64, for type: FrameType) throws(LinkFailureCause) -> StreamItem? {
        guard try numbers.admits(type, about: .stream, naming: id, live: live(id)) else { return nil }
        return streams[id]
    }

    private mutating func open(_ frame: StreamOpen, into effects: inout EffectQueue) throws(LinkFailureCause) {
        try numbers.begin(frame.id, in: .streamID)
        try openings.use(1)
        streams[frame.id] = StreamItem(
            isOwn: false, sender: StreamSender(limit: frame.credit),
            receiver: StreamReceiver(size: Self.firstStreamLimit))
        effects.emit(
            .stream(.opened(StreamID(rawValue: frame.id), name: String(decoding: frame.name, as: UTF8.self))))
    }

    private mutating func receiveStreamData(
        _ payload: Span<UInt8>, into effects: inout EffectQueue
    ) throws(LinkFailureCause) {
        let frame: StreamDataFrame
        do {
            frame = try StreamDataFrame(payload: payload)
        } catch {
            throw LinkFailureCause(error)
        }
        guard let item = try stream(frame.id, for: .streamData) else { return }
        guard try item.receiver.receive(frame.data.count) else { return }
        // The app may have taken bytes before that are due to be granted again now (R13.5-2).
        queueCredit(frame.id, item)
        effects.emit(.stream(.data(StreamID(rawValue: frame.id), [UInt8](copying: frame.data))))
    }

    private mutating func ended(
        _ id: UInt64, _ item: StreamItem, _ ending: StreamEnding, isNews: Bool, into effects: inout EffectQueue
    ) {
        if isNews { effects.emit(.stream(.ended(StreamID(rawValue: id), ending))) }
        removeIfEnded(id, item)
    }

    /// CREDIT of one stream came. It is ignored if it crossed the end of its direction (R13.4-4).
    mutating func raiseStream(_ credit: Credit) throws(LinkFailureCause) {
        guard let item = try stream(credit.id, for: .credit) else { return }
        try item.sender.raise(to: credit.limit)
        enqueue(credit.id, item)
    }

    // MARK: Bookkeeping

    /// More may be kept again: streams that could send but for that get their turns back.
    mutating func continueStreams() {
        for (id, item) in streams.sorted(by: { $0.key < $1.key }) { enqueue(id, item) }
    }

    /// Puts a stream into the ring if it can send.
    private mutating func enqueue(_ id: UInt64, _ item: StreamItem) {
        guard !item.isInRing, item.sender.canSend else { return }
        item.isInRing = true
        ring.append(id)
    }

    /// Writes STREAM_DATA of the stream whose turn it is.
    @_lifetime(output: copy output)
    mutating func writeStream(
        _ id: UInt64, _ item: StreamItem, room: Int, to output: inout OutputSpan<UInt8>,
        into effects: inout EffectQueue
    ) {
        guard let frame = item.sender.write(id: id, room: min(room, kept.room), to: &output) else { return }
        kept.append(frame)
        if item.sender.takeWritable() { effects.emit(.stream(.writable(StreamID(rawValue: id)))) }
        settleEnd(of: id, item)
    }

    /// STREAM_END goes out once all before it has (R15.2-2).
    private mutating func settleEnd(of id: UInt64, _ item: StreamItem) {
        guard let end = item.sender.takeEnd(id: id) else { return }
        control.append(end)
        removeIfEnded(id, item)
    }

    mutating func queueCredit(_ id: UInt64, _ item: StreamItem) {
        guard item.receiver.isCreditDue, !item.isCreditQueued else { return }
        item.isCreditQueued = true
        dueCredits.append(id)
    }

    /// CREDIT with the newest limit; nil if the direction has ended since.
    mutating func takeCredit(ofStream id: UInt64) -> Credit? {
        guard let item = streams[id] else { return nil }
        item.isCreditQueued = false
        guard item.receiver.isCreditDue else { return nil }
        return Credit(kind: .stream, id: id, limit: item.receiver.announce())
    }

    /// A number that has ended leaves the table at once. What the app has not taken is another matter (R13.5-1).
    private mutating func removeIfEnded(_ id: UInt64, _ item: StreamItem) {
        guard item.hasEnded, streams.removeValue(forKey: id) != nil else { return }
        bulkMemory.release(id)
        guard !item.isOwn else { return }
        endedStreams[id] = item
        settleDrained(id, item)
    }

    /// An opening comes back once the app has taken all of a stream that has ended (R13.5-1).
    private mutating func settleDrained(_ id: UInt64, _ item: StreamItem) {
        guard item.isDrained, endedStreams.removeValue(forKey: id) != nil else { return }
        returnedOpenings += 1
        openings.release(returnedOpenings)
    }

    /// The app closes: every direction that has not ended is given up (R16.1-5).
    mutating func abandonStreams() {
        for (id, item) in streams.sorted(by: { $0.key < $1.key }) {
            if item.receiver.stop() { control.append(StreamStop(id: id, code: 0)) }
            if item.sender.giveUp() { control.append(StreamReset(id: id, code: 0)) }
            removeIfEnded(id, item)
        }
    }

    /// The link is over: what has not ended is incomplete (R15.6-7, R16.1-5).
    mutating func endStreams(into effects: inout EffectQueue) {
        for (id, item) in streams.sorted(by: { $0.key < $1.key }) {
            let stream = StreamID(rawValue: id)
            if item.receiver.stop() { effects.emit(.stream(.ended(stream, .linkEnded))) }
            if item.sender.giveUp() { effects.emit(.stream(.stopped(stream, code: nil))) }
        }
        streams = [:]
    }
}
