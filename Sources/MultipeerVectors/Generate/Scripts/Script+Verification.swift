internal import MultipeerCrypto
internal import MultipeerRules
internal import MultipeerScriptedPeer
internal import MultipeerWire

/// What the peer does with the frames of SPEC §25.
extension Script {
    static let code = "4-tulip-orbit"

    private func typed(_ text: String) throws -> OneTimeCode {
        guard let code = OneTimeCode(typed: text) else { throw GeneratorFault.cannotBuild(text) }
        return code
    }

    /// The payload of the newest frame of a kind that the implementation has sent.
    func latest(_ name: String) throws -> [UInt8] {
        guard let frame = heard.last(where: { $0.name == name }) else {
            throw GeneratorFault.cannotBuild("no \(name) was heard")
        }
        return frame.payload
    }

    // MARK: Codes

    /// The peer begins its part in an attempt: with `sid`, or with the roles exchanged, as somebody between the two has
    /// to.
    func begin(
        asTypist isTypist: Bool, _ code: String = Script.code, sid: [UInt8]? = nil, exchangesRoles: Bool = false
    ) throws -> CPaceMessage {
        var attempt = try player.attempt(
            asTypist: isTypist, code: try typed(code), random: samples.bytes32("peer's y"), sid: sid)
        if exchangesRoles {
            let other = try player.attempt(asTypist: !isTypist, code: try typed(code), random: attempt.random)
            attempt.context = other.context
        }
        self.attempt = attempt
        return try attempt.message()
    }

    /// CODE_BEGIN of the peer, which types.
    func codeBegin(
        _ code: String = Script.code, sid: [UInt8]? = nil, exchangesRoles: Bool = false
    ) throws -> [UInt8] {
        frame(.codeBegin, try begin(asTypist: true, code, sid: sid, exchangesRoles: exchangesRoles))
    }

    /// CODE_ANSWER of the peer, which shows the code.
    func codeAnswer(
        _ code: String = Script.code, sid: [UInt8]? = nil, exchangesRoles: Bool = false
    ) throws -> [UInt8] {
        frame(.codeAnswer, try begin(asTypist: false, code, sid: sid, exchangesRoles: exchangesRoles))
    }

    private func frame(_ type: FrameType, _ message: CPaceMessage) -> [UInt8] {
        WireBytes.frame(type, message.share.rawBytes + message.associatedData)
    }

    /// CODE_CONFIRM of the peer, which has heard the implementation's share.
    func codeConfirm(_ change: (inout [UInt8]) -> Void = { _ in }) throws -> [UInt8] {
        guard let attempt else { throw GeneratorFault.cannotBuild("no attempt") }
        let payload = try latest(attempt.isTypist ? "CODE_ANSWER" : "CODE_BEGIN")
        let theirs = CPaceMessage(
            share: try GroupElement(rawBytes: Array(payload.prefix(32))), associatedData: Array(payload.dropFirst(32)))
        let both = try attempt.confirmations(with: theirs)
        var confirmation = attempt.isTypist ? both.typist : both.presenter
        change(&confirmation)
        return WireBytes.frame(.codeConfirm, confirmation + [0])
    }

    /// The app shows the code.
    @discardableResult
    func shows(_ code: String = Script.code) throws -> Script { try app("showCode", ["code": .string(code)]) }

    /// A person types it.
    @discardableResult
    func types(_ code: String = Script.code) throws -> Script { try app("giveCode", ["code": .string(code)]) }

    /// Something happens on another link of the app's.
    @discardableResult
    func elsewhere(_ what: String, _ code: String? = nil) throws -> Script {
        let members = ["happens": .string(what), "code": code.map(JSONValue.string)]
        return try app("otherLink", members.compactMapValues(\.self))
    }

    /// The implementation has sent CODE_ANSWER.
    @discardableResult
    func presents() throws -> Script { try reach(.identified).shows().send(codeBegin()).hear() }

    /// The implementation has sent CODE_BEGIN.
    @discardableResult
    func begins() throws -> Script { try reach(.identified).types().hear() }

    /// The implementation has sent CODE_CONFIRM, as the peer that types.
    @discardableResult
    func confirms() throws -> Script { try begins().send(codeAnswer()).hear() }

    /// Both peers have had the same code.
    @discardableResult
    func pairs(asTypist isTypist: Bool) throws -> Script {
        if isTypist { try confirms() } else { try presents() }
        return try send(codeConfirm()).hear()
    }

    // MARK: Short strings

    var peersNonce: [UInt8] { samples.bytes32("peer's nonce") }
    var stringAsk: [UInt8] { WireBytes.frame(.stringAsk, [0]) }
    func stringCommit() throws -> [UInt8] {
        WireBytes.frame(.stringCommit, try player.commitment(to: peersNonce) + [0])
    }
    var stringNonce: [UInt8] { WireBytes.frame(.stringNonce, peersNonce + [0]) }
    var stringReveal: [UInt8] { WireBytes.frame(.stringReveal, peersNonce + [0]) }

    /// The implementation's person wants to compare.
    @discardableResult
    func compares() throws -> Script { try app("compareStrings") }
}
