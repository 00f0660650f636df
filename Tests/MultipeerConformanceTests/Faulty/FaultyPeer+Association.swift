import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// What passes over an open link (SPEC §13). This peer sends no message, opens no stream, and offers at most one file.
extension FaultyPeer {
    struct Association {
        // What the tester sends.
        var messages = Window(size: 262_144)
        var openings = Window(size: 32)
        var offers = Window(size: 32)
        /// What the message that is under way lacks; nil for none.
        var lacking: UInt64?
        /// Counted frames of the tester (SPEC §13.6), and those that this peer has acknowledged.
        var processed: UInt64 = 0
        var acknowledged: UInt64 = 0
        /// Counted frames of this peer, and those that the tester has acknowledged.
        var sent: UInt64 = 0
        var counted: UInt64 = 0
        /// The tester's next number; nil before the first.
        var next: UInt64?
        var streams: [UInt64: Stream] = [:]
        var files: [UInt64: Incoming] = [:]
        var isAdmitted = false
        /// The file that the faulty peer offers.
        var outgoing: Outgoing?
        /// PINGs sent since the last record came.
        var pings = 0

        // What the faulty peer may send.
        var limits: [CreditKind: UInt64] = [.messages: 262_144, .openings: 32, .offers: 32]
    }

    /// One kind of credit of the tester's.
    struct Window {
        let size: UInt64
        var limit: UInt64
        var used: UInt64 = 0
        var released: UInt64 = 0

        init(size: UInt64, from start: UInt64 = 0) {
            (self.size, limit, used, released) = (size, start + size, start, start)
        }

        mutating func use(_ count: UInt64, tolerates: Bool) throws {
            used += count
            guard used <= limit || tolerates else { throw Failure(code: .creditExceeded) }
        }

        /// The limit to tell of, if half of the window is used (R13.5-1, R13.5-2).
        mutating func due(lacking: UInt64 = 0, most: UInt64 = .max) -> UInt64? {
            let wanted = min(max(released + size, used + lacking), most)
            guard wanted > limit, limit < used + size / 2 || limit < used + lacking else { return nil }
            limit = wanted
            return wanted
        }
    }

    func takeAssociation(_ type: FrameType, _ payload: [UInt8]) throws {
        try takeFrame(type, payload)
        if type.isCounted { association.processed += 1 }
    }

    private func takeFrame(_ type: FrameType, _ payload: [UInt8]) throws {
        switch type {
        case .message: try takeMessage(payload)
        case .messagePart: try takePart(payload)
        case .credit: try takeCredit(payload)
        case .ack:
            let count = try decode(Ack.self, payload).count
            // R13.6-2
            guard count > association.counted, count <= association.sent || has(.takesAnyAck) else {
                throw Failure(code: .malformed)
            }
            association.counted = count
        case .ping:
            let ping = try decode(Ping.self, payload)
            if has(.answersPingWrongly) {
                send(Pong(data: ping.data.reversed()))
            } else if !has(.answersNoPing) {
                send(Pong(data: ping.data))
            }
        case .pong:
            _ = try decode(Pong.self, payload)
            if has(.refusesPong) { throw Failure(code: .unexpectedFrame) }
        case .admit, .roster, .digest, .summary, .want, .unite, .enter: try takeSession(type, payload)
        case .streamOpen, .streamData, .streamEnd, .streamReset, .streamStop: try takeStream(type, payload)
        default: try takeFile(type, payload)
        }
    }

    // MARK: Messages

    private func takeMessage(_ payload: [UInt8]) throws {
        guard let total = try? MessageFrame.total(payload: payload.span) else { throw Failure(code: .malformed) }
        guard total <= 1_000_000 || has(.takesTooLongMessage) else { throw Failure(code: .limitExceeded) }
        let count = UInt64(payload.count - VarInt.length(of: total))
        guard (count <= total && (count > 0 || total == 0)) || has(.takesSurplusData) else {
            throw Failure(code: .malformed)
        }
        // Fields come first, then what is under way, then credit (R18-1).
        guard association.lacking == nil else { throw Failure(code: .unexpectedFrame) }
        try association.messages.use(64 + count, tolerates: has(.takesMessageOverdraft))
        takeContent(count, of: total)
        // As if the part were more than the frame that it came in.
        if has(.acknowledgesParts), association.lacking != nil { association.processed += 1 }
    }

    private func takePart(_ payload: [UInt8]) throws {
        guard !payload.isEmpty else { throw Failure(code: .malformed) }
        guard let lacking = association.lacking else {
            if has(.takesPartAlone) { return }
            throw Failure(code: .unexpectedFrame)
        }
        let count = UInt64(payload.count)
        guard count <= lacking else { throw Failure(code: .malformed) }
        try association.messages.use(count, tolerates: has(.takesMessageOverdraft))
        takeContent(count, of: lacking)
    }

    private func takeContent(_ count: UInt64, of lacking: UInt64) {
        if count < lacking {
            association.lacking = lacking - count
        } else {
            association.lacking = nil
            // The app takes it at once.
            association.messages.released = association.messages.used
        }
    }

    // MARK: Credit

    private func takeCredit(_ payload: [UInt8]) throws {
        if has(.takesUnknownCreditKind), let kind = payload.first, kind > 4 { return }
        let credit = try decode(Credit.self, payload)
        switch credit.kind {
        case .messages, .openings, .offers:
            guard credit.limit > association.limits[credit.kind] ?? 0 || has(.takesEqualCredit) else {
                throw Failure(code: .malformed)
            }
            association.limits[credit.kind] = credit.limit
        case .stream where credit.id == offeredNumber && association.outgoing != nil:
            try takeAnswer(.credit, payload)
        case .stream:
            guard try judge(credit.id, .stream, .credit), var stream = association.streams[credit.id], !stream.hasEnded
            else { return }
            guard credit.limit > stream.limit else { throw Failure(code: .malformed) }
            stream.limit = credit.limit
            association.streams[credit.id] = stream
        case .file where credit.id == offeredNumber && association.outgoing != nil: try takeAnswer(.credit, payload)
        case .file:
            // A live number is a file of the tester's, which the tester does not receive (R13.4-3).
            guard try judge(credit.id, .file, .credit), !has(.takesCreditOfOwnFile) else { return }
            throw Failure(code: .unexpectedFrame)
        }
    }

    /// What the faulty peer grants and acknowledges once a record is dealt with.
    func settle() {
        guard stage == .open else { return }
        let isStopped = association.streams.values.contains { $0.isSlow && $0.window.used >= 32_768 }
        if has(.stopsAllForOne), isStopped { return }
        if !has(.grantsNoMessages),
            let limit = association.messages.due(lacking: has(.grantsNoRest) ? 0 : association.lacking ?? 0)
        {
            send(Credit(kind: .messages, limit: limit))
        }
        if !has(.grantsNoOpenings), let limit = association.openings.due() {
            send(Credit(kind: .openings, limit: limit))
        }
        if !has(.grantsNoOffers), let limit = association.offers.due() { send(Credit(kind: .offers, limit: limit)) }
        for id in association.streams.keys where association.streams[id]?.peerHasEnded == false {
            if let limit = association.streams[id]?.window.due(), !has(.grantsNoBytes) {
                send(Credit(kind: .stream, id: id, limit: limit))
            }
        }
        for (id, file) in association.files where file.isReceiving {
            if let limit = association.files[id]?.window.due(most: file.offer.size) {
                send(Credit(kind: .file, id: id, limit: limit))
            }
        }
        if !has(.acknowledgesNothing) { acknowledge() }
    }

    /// ACK, if that says anything new.
    func acknowledge() {
        guard association.processed > association.acknowledged else { return }
        association.acknowledged = association.processed
        send(Ack(count: association.processed))
    }

    // MARK: Keep-alive

    /// Nothing has come for the time of a PING.
    func keepAlive() -> Failure {
        association.pings += 1
        let silence = settings.ping * association.pings
        setDeadline(settings.ping)
        if silence >= settings.silence, !has(.ignoresSilence) { return Failure(code: .silent) }
        if !has(.sendsNoPing) { send(Ping(data: [UInt8](repeating: UInt8(association.pings & 0xFF), count: 8))) }
        return .handled
    }
}
