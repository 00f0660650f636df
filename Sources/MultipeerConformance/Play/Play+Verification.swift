import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// How the tester takes part in SPEC §25.
extension Play {
    /// Goes to a place after PEER_INFO, as a peer that lists the feature. A peer that does not list it is asked
    /// nothing.
    func reachVerifying(_ target: Stage) throws(Interruption) {
        terms.features = [Feature.verification.rawValue]
        try reach(target)
        guard peerVerifies else { throw .skipped("the peer does not list the feature verification") }
    }

    var peerVerifies: Bool { peer.behavior.features.contains(Feature.verification.rawValue) }

    /// The code of this link, on which the tester has said its name: a peer that is started for it shows its code by then. A case reads
    /// it once.
    func code() throws(Interruption) -> OneTimeCode {
        try reachVerifying(.identified)
        if let knownCode { return knownCode }
        guard let codes else { throw .skipped("the tester does not know the peer's code") }
        guard let code = codes.code(until: deadline) else {
            throw .inconclusive("the peer showed no code in time")
        }
        knownCode = code
        return code
    }

    /// The same number, and another word than the code has.
    static func wrong(_ code: OneTimeCode) -> OneTimeCode {
        let word = code.words[0] == "acorn" ? "zodiac" : "acorn"
        return OneTimeCode(typed: "\(code.number)-\(word)-\(code.words[1])") ?? code
    }

    /// The tester's part in an attempt.
    func attempt(
        asTypist isTypist: Bool, _ code: OneTimeCode, sid: [UInt8]? = nil, exchangesRoles: Bool = false
    ) throws(Interruption) -> ScriptedAttempt {
        let (script, random) = (peer.script, peer.script.crypto)
        let bytes = NoiseSteps(crypto: random).sha256(script.handshakeHash + (isTypist ? [0] : [1]))
        return try own { () throws(ScriptedPeerError) in
            var attempt = try script.attempt(asTypist: isTypist, code: code, random: bytes, sid: sid)
            if exchangesRoles {
                attempt.context = try script.attempt(asTypist: !isTypist, code: code, random: bytes).context
            }
            return attempt
        }
    }

    /// CODE_BEGIN or CODE_ANSWER of an attempt, with another share if there is one.
    func frame(of attempt: ScriptedAttempt, share: [UInt8]? = nil) throws(Interruption) -> [UInt8] {
        let message = try own { () throws(CryptoFailure) in try attempt.message() }
        return WireBytes.frame(
            attempt.isTypist ? .codeBegin : .codeAnswer, (share ?? message.share.rawBytes) + message.associatedData)
    }

    /// Both confirmations, with what the peer has sent in CODE_ANSWER or CODE_BEGIN.
    func confirmations(
        of attempt: ScriptedAttempt, with theirs: ScriptedPeer.Frame
    ) throws(Interruption) -> (own: [UInt8], theirs: [UInt8]) {
        let payload = theirs.payload
        let both = try own { () throws(CryptoFailure) in
            try attempt.confirmations(
                with: CPaceMessage(
                    share: try GroupElement(rawBytes: Array(payload.prefix(32))),
                    associatedData: Array(payload.dropFirst(32))))
        }
        return attempt.isTypist ? (both.typist, both.presenter) : (both.presenter, both.typist)
    }

    /// The peer's CODE_CONFIRM, which has to be right (R25.5-3).
    func takeConfirmation(_ expected: [UInt8]) throws(Interruption) -> Evidence {
        let frame = try take(.codeConfirm)
        guard Array(frame.payload.prefix(32)) == expected else { throw .failed("CODE_CONFIRM came, and it is wrong") }
        return Evidence("CODE_CONFIRM that is right")
    }

    /// CODE_CONFIRM, by which a code that the peer shows is burned.
    func confirm(_ confirmation: [UInt8], fields: [UInt8] = [0]) -> [UInt8] {
        if let knownCode { codes?.burned(knownCode) }
        return WireBytes.frame(.codeConfirm, confirmation + fields)
    }

    /// A link after an attempt that was right: the inviter continues to an open link.
    func expectOpen(_ evidence: Evidence) throws(Interruption) -> Evidence {
        evidence.and(try mustReach(.open)).and(try expectAlive())
    }
}
