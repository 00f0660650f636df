import MultipeerWire

/// The frames that the peer sends.
extension Association {
    /// Takes a frame of §13 or §15.
    mutating func receive(
        _ frame: borrowing RawFrame, type: FrameType, at now: Instant, into effects: inout EffectQueue
    ) throws(LinkFailureCause) {
        guard type == .message else {
            try receiveOther(frame, type: type, at: now, into: &effects)
            if type.isCounted { ack.processed(frame.payload.count, at: now) }
            return
        }
        if let message = try incoming.begin(frame.payload) {
            deliver(consume message, at: now, into: &effects)
        } else {
            settleCredit(at: now, into: &effects)
        }
        ack.processed(frame.payload.count, at: now)
    }

    @inline(never)  // apart from short messages, of which there are most: docs/decisions/0025
    private mutating func receiveOther(
        _ frame: borrowing RawFrame, type: FrameType, at now: Instant, into effects: inout EffectQueue
    ) throws(LinkFailureCause) {
        switch type {
        case .messagePart:
            if let message = try incoming.continue(frame.payload) {
                deliver(consume message, at: now, into: &effects)
            } else {
                settleCredit(at: now, into: &effects)
            }
        case .ack:
            try receive(try frame.decode(Ack.self), into: &effects)
        case .credit: try receive(try frame.decode(Credit.self), into: &effects)
        case .ping: keepAlive.receive(try frame.decode(Ping.self))
        case .pong:
            if keepAlive.receive(try frame.decode(Pong.self), at: now) { effects.emit(.probeAnswered) }
        case .fileOffer: try receive(try frame.decode(FileOffer.self), into: &effects)
        case .fileData: try receiveFileData(frame.payload, into: &effects)
        case .fileEnd: try receive(try frame.decode(FileEnd.self), into: &effects)
        case .fileAccept: try receiveAnswer(try frame.decode(FileAccept.self), into: &effects)
        case .fileDone: try receiveAnswer(try frame.decode(FileDone.self), into: &effects)
        case .fileCancel: try receive(try frame.decode(FileCancel.self), into: &effects)
        case .streamOpen, .streamData, .streamEnd, .streamReset, .streamStop:
            try receiveStream(frame, type: type, into: &effects)
        default: throw frame.unexpected
        }
    }

    /// A message goes to the app, whatever becomes of the link. If the app takes none any more, its last frame counts in no ACK (SPEC §16.4).
    private mutating func deliver(_ message: consuming [UInt8], at now: Instant, into effects: inout EffectQueue) {
        if takesMessages {
            effects.emit(.message(consume message))
        } else {
            ack.dropped()
            incoming.releaseCredit(Link.messageCredit(ofLength: message.count))
        }
        settleCredit(at: now, into: &effects)
    }

    @inline(never)  // one for many frames: docs/decisions/0025
    private mutating func receive(_ ack: Ack, into effects: inout EffectQueue) throws(LinkFailureCause) {
        let wasFull = !kept.hasRoom
        for range in try kept.receive(ack) { effects.emit(.messages(range, .delivered)) }
        if wasFull, kept.hasRoom { continueStreams() }
    }

    private mutating func receive(_ credit: Credit, into effects: inout EffectQueue) throws(LinkFailureCause) {
        switch credit.kind {
        case .messages: try outgoing.raise(to: credit.limit)
        case .openings:
            let wasFull = openingsOut.room == 0
            try openingsOut.raise(to: credit.limit)
            if wasFull { effects.emit(.stream(.mayOpen)) }
        case .offers: try offersOut.raise(to: credit.limit)
        case .stream: try raiseStream(credit)
        case .file: try raiseFile(credit, into: &effects)
        }
    }
}
