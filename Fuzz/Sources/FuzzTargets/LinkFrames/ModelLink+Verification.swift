import MultipeerCore

/// SPEC §25.6 and §25.7.
extension ModelLink {
    mutating func receiveVerification(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        // R25.6-2; before PEER_INFO nobody has listed anything.
        guard state != .info, verification.isShared else { throw .unexpectedFrame }
        if type < 0x78 { return try receiveString(type, bytes) }
        switch state {
        case .identified where type == 0x78 && verification.attempt == .none: try asked(bytes)
        case .inviting(let hasCrossed) where type == 0x78 && verification.attempt == .none && !hasCrossed:
            _ = try Self.begin(bytes)
            throw .codeUnavailable
        case .pairing: try receiveInPairing(type, bytes)
        default: throw .unexpectedFrame
        }
    }

    // MARK: Codes

    /// 32 bytes and fields.
    static func content(_ bytes: [UInt8]) throws(ModelFault) -> [UInt8] {
        var reader = ModelReader(bytes)
        let content = try reader.take(32)
        try reader.fields()
        try reader.end()
        return content
    }

    /// The number of CODE_BEGIN (R25.6-1).
    private static func begin(_ bytes: [UInt8]) throws(ModelFault) -> UInt64 {
        var reader = ModelReader(bytes)
        _ = try reader.take(32)
        let number = try reader.varint()
        guard (1...999).contains(number) else { throw .malformed }
        try reader.fields()
        try reader.end()
        return number
    }

    private func code(_ text: String, isTypist: Bool) -> ModelCode {
        ModelCode(
            text: text, isTypist: isTypist, sid: binding.codeIdentifier,
            keys: isTypist ? ownKey + peerKey : peerKey + ownKey)
    }

    /// The app gives a code.
    mutating func giveCode(_ text: String) {
        var own = code(text, isTypist: true)
        own.messages[0] = own.share(ConstantRandomness.scalar) + ModelSent.varint(own.number) + [0]
        sent.append(ModelSent(0x78, own.messages[0]))
        verification.code = own
        verification.attempt = .begun(crossedBegin: false, crossedInvite: false)
        state = .pairing
        setDeadline(now + 10_000_000_000)
    }

    private mutating func asked(_ bytes: [UInt8]) throws(ModelFault) {
        let number = try Self.begin(bytes)
        codeBegin = bytes
        verification.attempt = .asked(number: number, follower: nil)
        state = .pairing
        setDeadline(now + 10_000_000_000)
        events.append(.codeWanted(number))
    }

    /// The app says with which code it answers, or that it shows none.
    mutating func answerCode(_ text: String?) {
        guard case .asked(let number, let follower) = verification.attempt else { return }
        do {
            guard let text, case var own = code(text, isTypist: false), own.number == number else {
                throw ModelFault.codeUnavailable
            }
            own.messages[1] = own.share(ConstantRandomness.scalar) + [0]
            guard own.receive(codeBegin) else { throw ModelFault.malformed }
            sent.append(ModelSent(0x7A, own.messages[1]))
            verification.code = own
            verification.attempt = .answered
            guard let follower else { return }
            guard follower.type == 0x7C else { throw ModelFault.unexpectedFrame }
            // It burns the code, and cannot be right: nobody knows a share that is not sent yet. Here, where y is always the
            // same, somebody might.
            events.append(.codeBurned(isTypist: false))
            _ = try Self.content(follower.payload)
            throw ModelFault.codeWrong
        } catch { fail(error as? ModelFault ?? .malformed) }
    }

    private mutating func receiveInPairing(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        switch verification.attempt {
        case .begun(let crossedBegin, let crossedInvite): try receiveBegun(type, bytes, crossedBegin, crossedInvite)
        // Whatever the app answers: REKEY belongs to an open link (R12.6-3).
        case .asked where type == 0x12: throw .unexpectedFrame
        case .asked(let number, nil): verification.attempt = .asked(number: number, follower: ModelSent(type, bytes))
        case .asked: break
        case .confirming where type == 0x7C: try conclude(try Self.content(bytes), of: 1)
        case .answered where type == 0x7C:
            events.append(.codeBurned(isTypist: false))
            let confirmation = try Self.content(bytes)
            guard let code = verification.code, confirmation == code.confirmations[0] else { throw .codeWrong }
            sent.append(ModelSent(0x7C, code.confirmations[1] + [0]))
            try conclude(code.confirmations[1], of: 1)
        default: throw .unexpectedFrame
        }
    }

    /// Any frame of another section in *pairing*.
    mutating func receiveInvitationInPairing(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        try receiveInPairing(type, bytes)
    }

    private mutating func receiveBegun(
        _ type: UInt64, _ bytes: [UInt8], _ crossedBegin: Bool, _ crossedInvite: Bool
    ) throws(ModelFault) {
        switch type {
        case 0x7A where !crossedInvite:
            _ = try Self.content(bytes)
            guard var code = verification.code, code.receive(bytes) else { throw .malformed }
            events.append(.codeBurned(isTypist: true))
            sent.append(ModelSent(0x7C, code.confirmations[0] + [0]))
            verification.code = code
            verification.attempt = .confirming
        case 0x78 where !crossedBegin && !crossedInvite:
            if hasLesserKey {
                _ = try Self.begin(bytes)
                verification.attempt = .begun(crossedBegin: true, crossedInvite: false)
            } else {
                events.append(.codeVoid)
                try asked(bytes)
            }
        case 0x06 where !crossedInvite:
            _ = try judged(bytes)
            verification.attempt = .begun(crossedBegin: crossedBegin, crossedInvite: true)
        case 0x0C where crossedInvite: close(.failure(.pairing, try ModelFrame.cancel(bytes)), 0)
        default: throw .unexpectedFrame
        }
    }

    /// The confirmation is right, and the link is in *identified* as before.
    private mutating func conclude(_ confirmation: [UInt8], of side: Int) throws(ModelFault) {
        guard let code = verification.code, confirmation == code.confirmations[side] else { throw .codeWrong }
        verification.attempt = .over
        events.append(.codeVerified(isTypist: code.isTypist))
        state = .identified
        setDeadline(now + 60_000_000_000)
        // R17-1: an invitation that waited.
        guard invitation != nil, !hasInvited else { return }
        sendInvite()
        state = .inviting(hasCrossed: false)
        setDeadline(inviteDeadline)
    }

    // MARK: Strings

    /// The person here wants to compare.
    mutating func compareStrings() {
        if role == .initiator {
            sent.append(ModelSent(0x72, commitment(to: ConstantRandomness.nonce) + [0]))
            verification.strings = .committed
        } else if verification.strings == .idle {
            sent.append(ModelSent(0x70, [0]))
            verification.strings = .asking
        } else {
            answerCommitment()
        }
    }

    private mutating func answerCommitment() {
        sent.append(ModelSent(0x74, ConstantRandomness.nonce + [0]))
        verification.strings = .answered
    }

    private func digest(_ label: String, _ nonces: [UInt8]) -> [UInt8] {
        ModelBinding.sha256(
            Array(label.utf8) + [0] + binding.stringKey + binding.initiator + binding.responder + nonces)
    }

    func commitment(to nonce: [UInt8]) -> [UInt8] { digest("multipeer/1 commitment", nonce) }

    private mutating func tell(_ initiator: [UInt8], _ responder: [UInt8]) {
        verification.strings = .done
        let number = digest("multipeer/1 short string", initiator + responder).prefix(8).reduce(0 as UInt64) {
            $0 << 8 | UInt64($1)
        }
        let text = String(number % 1_000_000)
        events.append(.shortString(digits: String(repeating: "0", count: 6 - text.count) + text))
    }

    private mutating func receiveString(_ type: UInt64, _ bytes: [UInt8]) throws(ModelFault) {
        switch (role, verification.strings, type) {
        case (.initiator, .idle, 0x70) where !verification.wasAsked:
            try ModelFrame.fieldsAlone(bytes)
            verification.wasAsked = true
            events.append(.comparisonWanted)
        case (.initiator, .committed, 0x70) where !verification.wasAsked:
            try ModelFrame.fieldsAlone(bytes)
            verification.wasAsked = true
        case (.initiator, .committed, 0x74):
            let nonce = try Self.content(bytes)
            sent.append(ModelSent(0x76, ConstantRandomness.nonce + [0]))
            tell(ConstantRandomness.nonce, nonce)
        case (.responder, .idle, 0x72):
            verification.commitment = try Self.content(bytes)
            verification.strings = .commitmentCame
            events.append(.comparisonWanted)
        case (.responder, .asking, 0x72):
            verification.commitment = try Self.content(bytes)
            answerCommitment()
        case (.responder, .answered, 0x76):
            let nonce = try Self.content(bytes)
            guard commitment(to: nonce) == verification.commitment else { throw .commitmentInvalid }
            tell(nonce, ConstantRandomness.nonce)
        default: throw .unexpectedFrame
        }
    }
}
