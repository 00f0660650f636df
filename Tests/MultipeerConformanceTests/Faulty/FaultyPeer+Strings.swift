import MultipeerConformance
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerWire

/// Short strings (SPEC §25.3, §25.6).
extension FaultyPeer {
    struct StringState {
        enum Stage { case idle, asking, committed, answered, done }

        var stage = Stage.idle
        var wasAsked = false
        var nonce: [UInt8] = []
        var commitment: [UInt8] = []
    }

    /// The person wants to compare.
    func compareStrings() throws {
        guard role == .initiator else {
            send(StringAsk())
            strings.stage = .asking
            return
        }
        strings.nonce = drawNonce()
        send(StringCommit(commitment: try script.commitment(to: strings.nonce)))
        strings.stage = .committed
    }

    private func drawNonce() -> [UInt8] {
        var random: any RandomSource = Tools.sodium.random
        return random.bytes(32)
    }

    func takeString(_ type: FrameType, _ payload: [UInt8]) throws {
        switch stage {
        case .identified, .inviting, .certificates, .pairing, .open: break
        case .hello, .proof, .info, .closing, .over: throw Failure(code: .unexpectedFrame)
        }
        switch (role, type, strings.stage) {
        case (.initiator, .stringAsk, .idle), (.initiator, .stringAsk, .committed):
            guard !strings.wasAsked else { throw Failure(code: .unexpectedFrame) }
            _ = try decode(StringAsk.self, payload)
            strings.wasAsked = true
        case (.initiator, .stringNonce, .committed):
            _ = try decode(StringNonce.self, payload)
            send(StringReveal(nonce: strings.nonce))
            strings.stage = .done
        case (.responder, .stringCommit, .idle), (.responder, .stringCommit, .asking):
            strings.commitment = try decode(StringCommit.self, payload).commitment
            let answers = strings.stage == .asking || has(.answersStringsUnasked)
            strings.stage = .committed
            if answers { answerString() }
        case (.responder, .stringReveal, .answered):
            let nonce = try decode(StringReveal.self, payload).nonce
            guard try script.commitment(to: nonce) == strings.commitment || has(.takesAnyReveal) else {
                throw Failure(code: .commitmentInvalid)
            }
            strings.stage = .done
        default:
            guard has(.takesStringsTwice), strings.stage == .done else { throw Failure(code: .unexpectedFrame) }
        }
    }

    private func answerString() {
        send(StringNonce(nonce: drawNonce()))
        strings.stage = .answered
    }
}
