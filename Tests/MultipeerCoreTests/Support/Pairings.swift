import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

/// Links whose peers list the feature *verification* (SPEC §25).
enum Pairings {
    static let code = typed("4-tulip-orbit")
    static let other = typed("4-acorn-orbit")

    static func typed(_ text: String) -> OneTimeCode {
        guard let code = OneTimeCode(typed: text) else { fatalError("no code: \(text)") }
        return code
    }

    /// Two honest links in *identified*. The presenter shows `shown`.
    static func pair(
        typist: LinkRole, shown: OneTimeCode? = code, adjust: (inout LinkConfiguration) -> Void = { _ in }
    ) throws -> LinkPair {
        var script = SimulatedPeer.Script()
        script.shownCode = shown.map { PresentedCode($0) }
        var pair = try Peers.pair(
            invitation: nil, initiatorScript: typist == .initiator ? .init() : script,
            responderScript: typist == .responder ? .init() : script, adjustInitiator: adjust, adjustResponder: adjust)
        pair.run()
        return pair
    }

    /// An honest link in *identified*, against a scripted peer that lists the feature. The honest peer has the lesser
    /// key, unless set otherwise.
    static func duel(
        honest role: LinkRole, isLesser: Bool = true, features: [UInt16] = [1],
        adjust: (inout LinkConfiguration) -> Void = { _ in }
    ) throws -> Duel {
        let (lesser, greater) = try Peers.seedsByKey()
        let duel = try Duels.make(
            honest: role, honestSeed: isLesser ? lesser : greater, evilSeed: isLesser ? greater : lesser,
            adjust: adjust)
        duel.evil.features = features
        try duel.reach(.identified)
        return duel
    }
}

extension LinkPair {
    /// Does something with the link of one peer.
    mutating func act<Failure: Error>(
        _ role: LinkRole, _ body: (inout Link, Instant) throws(Failure) -> Void
    ) throws(Failure) {
        switch role {
        case .initiator: try body(&initiator.link, now)
        case .responder: try body(&responder.link, now)
        }
    }

    func verifications(of role: LinkRole) -> [VerificationEvent] {
        role == .initiator ? initiator.verifications : responder.verifications
    }

    func failure(of role: LinkRole) -> LinkFailure? {
        role == .initiator ? initiator.failure : responder.failure
    }

    func stage(of role: LinkRole) -> LinkStage { role == .initiator ? initiator.link.stage : responder.link.stage }

    func deadline(of role: LinkRole) -> Instant? {
        role == .initiator ? initiator.link.deadline : responder.link.deadline
    }
}

/// What the scripted peer computes of a code, by the steps of CPace.
extension ScriptedPeer {
    /// The context of an attempt on this link.
    private func cpace(as role: CodeRole) throws -> CPaceContext {
        let sid = try export(label: CPaceContext.exportLabel, context: [], length: CPaceContext.exportLength)
        let (own, theirs) = (identity.identityKey, try IdentityKey(rawBytes: peerKey ?? []))
        return CPaceContext(
            sessionIdentifier: try SharedSecret(copying: sid, in: Peers.sodium.secrets),
            typist: role == .typist ? own : theirs,
            presenter: role == .typist ? theirs : own)
    }

    /// Types a code: sends CODE_BEGIN.
    func typeCode(_ code: OneTimeCode = Pairings.code, seed: UInt64 = 21) throws -> CPaceInitiator {
        var random: any RandomSource = SeededRandomSource(seed: seed)
        let number = UInt64(code.number)
        let initiator = try CPaceInitiator(
            password: try code.password(in: Peers.sodium.secrets), context: try cpace(as: .typist),
            associatedData: CodeBegin(share: [], number: number).associatedData, primitives: Peers.sodium.pairing,
            random: &random)
        try send(CodeBegin(share: initiator.message.share.rawBytes, number: number))
        return initiator
    }

    /// Answers the CODE_BEGIN that came.
    func answerCode(_ code: OneTimeCode = Pairings.code, seed: UInt64 = 22) throws -> CPaceResponder {
        let payload = try #require(payloads(of: .codeBegin).last)
        var random: any RandomSource = SeededRandomSource(seed: seed)
        let responder = try CPaceResponder(
            answering: CPaceMessage(
                share: try GroupElement(rawBytes: Array(payload.prefix(32))),
                associatedData: Array(payload.dropFirst(32))),
            password: try code.password(in: Peers.sodium.secrets), context: try cpace(as: .presenter),
            associatedData: [0], primitives: Peers.sodium.pairing, random: &random)
        try send(CodeAnswer(share: responder.message.share.rawBytes))
        return responder
    }

    /// What came in CODE_ANSWER.
    var answer: CPaceMessage? {
        guard let payload = payloads(of: .codeAnswer).last,
            let share = try? GroupElement(rawBytes: Array(payload.prefix(32)))
        else { return nil }
        return CPaceMessage(share: share, associatedData: Array(payload.dropFirst(32)))
    }

    /// What came in CODE_CONFIRM.
    var confirmation: [UInt8]? { payloads(of: .codeConfirm).last.map { Array($0.prefix(32)) } }
}

extension Duel {
    func typeCode(_ code: OneTimeCode = Pairings.code) throws -> CPaceInitiator { try evil.typeCode(code) }
    func answerCode(_ code: OneTimeCode = Pairings.code) throws -> CPaceResponder { try evil.answerCode(code) }
    var answer: CPaceMessage? { evil.answer }
    var confirmation: [UInt8]? { evil.confirmation }

    /// The token of the question for a code.
    var codeToken: LinkToken? {
        for case .codeWanted(let token, _) in honest.verifications.reversed() { return token }
        return nil
    }

    /// What the app heard, its questions apart.
    var told: [VerificationEvent] {
        honest.verifications.filter { if case .codeWanted = $0 { false } else { true } }
    }

    /// The honest peer's person types a code.
    func give(_ code: OneTimeCode = Pairings.code) throws {
        try honest.link.giveCode(code, at: now)
        try exchange()
    }

    /// The honest peer answers the peer's code.
    func present(_ code: OneTimeCode? = Pairings.code) throws {
        try honest.link.answerCode(try #require(codeToken), with: code.map { PresentedCode($0) }, at: now)
        try exchange()
    }
}
