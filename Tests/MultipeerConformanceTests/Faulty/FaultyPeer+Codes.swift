import MultipeerConformance
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerWire

/// One-time codes (SPEC §25.4 to §25.7).
extension FaultyPeer {
    /// The attempt of this link.
    struct CodeState {
        var hasBegun = false
        var isTypist = false
        var attempt: ScriptedAttempt?
        /// What is guessed at, if it is shown here.
        var shown: PresentedCode?
        /// What goes into CODE_CONFIRM, and what has to come there, once both shares are there.
        var own: [UInt8] = []
        var expected: [UInt8]?
        /// What crossed CODE_BEGIN.
        var hasCrossedBegin = false
        var hasCrossedInvite = false
    }

    /// Whether both peers list the feature.
    var verifies: Bool { settings.verification != nil && peerVerifies }

    /// What the faulty peer's person does as soon as the peer is identified. Returns whether an invitation waits for
    /// it.
    func verifyAtOnce() throws -> Bool {
        guard verifies else { return false }
        switch settings.verification {
        case nil, .nothing: return false
        case .shows: return true
        case .types:
            try typeCode()
            return true
        case .compares:
            try compareStrings()
            return false
        }
    }

    func takeVerification(_ type: FrameType, _ payload: [UInt8]) throws {
        guard verifies || has(.takesUnlistedFrames) else { throw Failure(code: .unexpectedFrame) }
        switch type {
        case .codeBegin: try takeBegin(payload)
        case .codeAnswer: try takeAnswer(payload)
        case .codeConfirm: try takeConfirm(payload)
        default: try takeString(type, payload)
        }
    }

    /// INVITE in *pairing*: it crossed, and is ignored once judged.
    func takeInviteInPairing(_ payload: [UInt8]) throws {
        if has(.takesInviteInPairing) { return }
        guard code.isTypist, code.expected == nil, !code.hasCrossedInvite else { throw Failure(code: .unexpectedFrame) }
        _ = try judge(try decode(Invite.self, payload))
        code.hasCrossedInvite = true
    }

    private static func random() -> [UInt8] {
        var random: any RandomSource = Tools.sodium.random
        return random.bytes(32)
    }

    // MARK: Frames

    private func typeCode() throws {
        let attempt = try script.attempt(asTypist: true, code: FaultySettings.typed, random: Self.random())
        code = CodeState(hasBegun: true, isTypist: true, attempt: attempt)
        send(WireBytes.frame(.codeBegin, try share(of: attempt)))
        stage = .pairing
        setDeadline(.seconds(10))
    }

    private func share(of attempt: ScriptedAttempt) throws -> [UInt8] {
        let message = try attempt.message()
        return message.share.rawBytes + message.associatedData
    }

    private func takeBegin(_ payload: [UInt8]) throws {
        switch stage {
        case .pairing where code.isTypist && code.expected == nil && !code.hasCrossedBegin && !code.hasCrossedInvite:
            let begin = try decode(CodeBegin.self, payload)
            code.hasCrossedBegin = true
            let ownStands = settings.identity.identityKey.rawBytes.lexicographicallyPrecedes(script.peerKey ?? [])
            if ownStands || has(.neverYields) { return }
            try answer(begin, payload)
        case .identified where !code.hasBegun || has(.takesSecondAttempt):
            try answer(try decode(CodeBegin.self, payload), payload)
        case .inviting where !hasCrossed && !code.hasBegun:
            _ = try decode(CodeBegin.self, payload)
            throw Failure(code: .codeUnavailable)
        default: throw Failure(code: .unexpectedFrame)
        }
    }

    private func answer(_ begin: CodeBegin, _ payload: [UInt8]) throws {
        let takesOne = has(.takesOneAttempt)
        let shown =
            settings.verification == .shows
            ? settings.codes.begin(Int(begin.number), on: self, takesOne: takesOne) : nil
        guard let shown = shown ?? (has(.answersAnyCode) ? PresentedCode(FaultySettings.typed) : nil) else {
            throw Failure(code: .codeUnavailable)
        }
        let attempt = try script.attempt(asTypist: false, code: shown.code, random: Self.random())
        code = CodeState(hasBegun: true, attempt: attempt, shown: shown)
        stage = .pairing
        setDeadline(.seconds(10))
        let both = try confirmations(attempt, payload)
        (code.own, code.expected) = (both.presenter, both.typist)
        send(WireBytes.frame(.codeAnswer, try share(of: attempt)))
        if has(.confirmsFirst) { send(CodeConfirm(confirmation: code.own)) }
    }

    private func takeAnswer(_ payload: [UInt8]) throws {
        guard stage == .pairing, code.isTypist, let attempt = code.attempt, code.expected == nil, !code.hasCrossedInvite
        else {
            if has(.takesAnswersUnasked) { return }
            throw Failure(code: .unexpectedFrame)
        }
        _ = try decode(CodeAnswer.self, payload)
        let both = try confirmations(attempt, payload)
        (code.own, code.expected) = (both.typist, both.presenter)
        send(CodeConfirm(confirmation: code.own))
    }

    private func confirmations(
        _ attempt: ScriptedAttempt, _ payload: [UInt8]
    ) throws -> (typist: [UInt8], presenter: [UInt8]) {
        do throws(CryptoFailure) {
            return try attempt.confirmations(
                with: CPaceMessage(
                    share: try GroupElement(rawBytes: Array(payload.prefix(32))),
                    associatedData: Array(payload.dropFirst(32))))
        } catch {
            guard has(.takesAnyShare) else { throw Failure(code: .malformed) }
            return ([UInt8](repeating: 0, count: 32), [UInt8](repeating: 0, count: 32))
        }
    }

    private func takeConfirm(_ payload: [UInt8]) throws {
        guard stage == .pairing, let expected = code.expected else {
            if has(.takesConfirmationsUnasked) { return }
            throw Failure(code: .unexpectedFrame)
        }
        // R25.5-5: before it is judged.
        if let shown = code.shown, !has(.keepsBurnedCodes), !settings.codes.burn(shown), !has(.comparesBurnedCodes) {
            throw Failure(code: .codeUnavailable)
        }
        let came = try decode(CodeConfirm.self, payload).confirmation
        let isTaken = has(.takesAnyConfirmation) || has(.takesOwnConfirmation) && came == code.own
        guard came == expected || isTaken else { throw Failure(code: .codeWrong) }
        if !code.isTypist, !has(.confirmsFirst) { send(CodeConfirm(confirmation: code.own)) }
        code.expected = nil
        stage = .identified
        setDeadline(.seconds(60))
        if settings.invites { inviteNow() }
    }

    /// The link is over.
    func leaveCode() {
        if has(.burnsWhatWasLeft), stage != .identified, let shown = code.shown { _ = settings.codes.burn(shown) }
        settings.codes.end(of: self)
    }
}

enum FaultySettings {
    /// What its person types.
    static let typed: OneTimeCode = {
        var random: any RandomSource = Tools.sodium.random
        return OneTimeCode(number: 4, random: &random)
    }()
}
