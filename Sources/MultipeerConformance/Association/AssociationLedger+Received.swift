import MultipeerScriptedPeer
import MultipeerWire

/// What the peer sends, and what of it is against the rules that hold at all times.
extension AssociationLedger {
    /// Notes a frame of the peer's, which has decoded if it is a control frame.
    ///
    /// - Parameter peerInvited: Whether the INVITE that stands is the peer's.
    mutating func observe(_ frame: ScriptedPeer.Frame, peerInvited: Bool) throws(Interruption) {
        guard let type = frame.known else { return }
        if type.isCounted { received += 1 }
        switch type {
        case .message, .messagePart: try observeMessage(type, frame.payload)
        case .ack: try observeAck(frame.payload)
        case .credit: try observeCredit(frame.payload)
        case .pong: pongs.append(frame.payload)
        case .streamOpen, .streamData, .streamEnd, .streamReset, .streamStop: try observeStream(type, frame.payload)
        case .fileOffer, .fileAccept, .fileCancel, .fileData, .fileEnd, .fileDone:
            try observeFile(type, frame.payload)
        case .admit:
            guard peerInvited, !isAdmitted else {
                throw .broke(rule: "R14.5-1", "ADMIT came from the invitee, or twice")
            }
            isAdmitted = true
        case .roster, .digest, .summary, .want, .unite, .enter:
            // A peer that was invited has its chain from ADMIT, and without one it is a guest.
            guard peerInvited || hasAdmitted else { throw .broke(rule: "R14.5-5", "\(type.name) came from a guest") }
        default: break
        }
    }

    // MARK: Messages

    private mutating func observeMessage(_ type: FrameType, _ payload: [UInt8]) throws(Interruption) {
        var count = UInt64(payload.count)
        if type == .message {
            guard peersLacking == 0 else { throw .broke(rule: "R15.1-2", "MESSAGE came before the last one was whole") }
            guard let total = try? MessageFrame.total(payload: payload.span) else {
                throw .broke(rule: "R15.1-1", "the peer's MESSAGE does not decode")
            }
            count -= UInt64(VarInt.length(of: total))
            guard count <= total, count > 0 || total == 0 else {
                throw .broke(rule: "R15.1-1", "MESSAGE came with \(count) bytes of \(total)")
            }
            peersMessages.used += 64
            peersLacking = total
        } else {
            guard peersLacking > 0 else { throw .broke(rule: "R15.1-2", "MESSAGE_PART came with no message begun") }
            guard count > 0, count <= peersLacking else {
                throw .broke(rule: "R15.1-1", "MESSAGE_PART came with \(count) bytes")
            }
        }
        peersMessages.used += count
        peersLacking -= count
        guard peersMessages.used <= peersMessages.limit else {
            throw .broke(rule: "R13.3-1", "the peer's messages use more than the tester has granted")
        }
    }

    private mutating func observeAck(_ payload: [UInt8]) throws(Interruption) {
        guard let ack = try? Ack(payload: payload.span) else { return }
        guard ack.count > acknowledged, ack.count <= framesSent else {
            throw .broke(
                rule: "R13.6-2", "ACK \(ack.count) came after ACK \(acknowledged), and \(framesSent) were sent")
        }
        acknowledged = ack.count
    }

    // MARK: Credit

    private mutating func observeCredit(_ payload: [UInt8]) throws(Interruption) {
        guard let credit = try? Credit(payload: payload.span) else { return }
        let mayRepeat = credited.insert([UInt64(credit.kind.rawValue), credit.id]).inserted && isContinued
        switch credit.kind {
        case .messages: try Self.raise(&messages, credit, mayRepeat)
        case .openings: try Self.raise(&openings, credit, mayRepeat)
        case .offers: try Self.raise(&offers, credit, mayRepeat)
        case .stream:
            guard var stream = streams[credit.id] else {
                throw .broke(rule: "R13.2-2", "CREDIT came for stream \(credit.id), which does not exist")
            }
            // What crossed the end of the direction means nothing (R13.4-4).
            guard !stream.hasEnded else { return }
            try Self.raise(&stream.own, credit, mayRepeat)
            streams[credit.id] = stream
        case .file:
            guard var file = files[credit.id], file.accept != nil else {
                throw .broke(rule: "R13.4-3", "CREDIT came for file \(credit.id), which the peer has not accepted")
            }
            guard !file.hasEnd else { return }
            try Self.raise(&file.allowance, credit, mayRepeat)
            files[credit.id] = file
        }
    }

    private static func raise(
        _ allowance: inout Allowance, _ credit: Credit, _ mayRepeat: Bool
    ) throws(Interruption) {
        guard credit.limit > allowance.limit || mayRepeat && credit.limit == allowance.limit else {
            throw .broke(rule: "R13.4-2", "CREDIT came with limit \(credit.limit) where \(allowance.limit) holds")
        }
        allowance.limit = credit.limit
    }

    // MARK: Numbers

    /// The peer begins a stream or a file.
    mutating func takeNumber(_ id: UInt64, _ type: FrameType) throws(Interruption) {
        guard let next = peersNext, id == next else {
            throw .broke(rule: "R13.2-1", "\(type.name) came with number \(id)")
        }
        peersNext = next + 2
    }
}
