import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// What one peer's people did to verify the other's key, and what they heard (SPEC §25).
struct SessionVerification {
    /// What was typed here.
    var given: OneTimeCode?
    /// Whether the remote peer's attempt wins (R25.7-2).
    var isVoid = false
    /// The question for the code that is shown here.
    var token: LinkToken?
    /// What it was answered with; nil inside for no code.
    var answer: OneTimeCode??
    var burned: CodeRole?
    var verified: CodeRole?
    /// Whether the person here wants to compare, and has heard that the other one does.
    var wantsComparison = false
    var isComparisonWanted = false
    var string: ShortAuthenticationString?

    /// Whether the link has had an attempt (R25.6-7).
    var hasTried: Bool { given != nil || token != nil }

    static let codes = ["4-tulip-orbit", "4-acorn-orbit", "7-tulip-orbit"].compactMap { OneTimeCode(typed: $0) }
}

extension SessionWorld {
    // MARK: What people do

    func giveCode(_ side: Int, _ first: UInt8) throws {
        let peer = peers[side]
        let code = SessionVerification.codes[Int(first) % SessionVerification.codes.count]
        let isAllowed = setting.verifies && peer.link.stage == .identified && !peer.memory.verification.hasTried
        guard try request(side, "giveCode", isAllowed: isAllowed, { try $0.giveCode(code, at: now) }) else { return }
        peer.memory.verification.given = code
    }

    /// Says with which code the local peer answers, or that it shows none.
    func answerCode(_ side: Int, _ first: UInt8) throws {
        let peer = peers[side]
        guard let token = peer.memory.verification.token else { return }
        let index = Int(first) % (SessionVerification.codes.count + 1)
        let code = index < SessionVerification.codes.count ? SessionVerification.codes[index] : nil
        let isAllowed = peer.link.stage == .pairing && peer.memory.verification.answer == nil
        guard
            try request(
                side, "answerCode", isAllowed: isAllowed,
                { try $0.answerCode(token, with: code.map { PresentedCode($0) }, at: now) })
        else { return }
        peer.memory.verification.answer = .some(code)
    }

    func compareStrings(_ side: Int) throws {
        let peer = peers[side]
        let stages: [LinkStage] = [.identified, .pairing, .inviting, .invited, .certificates, .open, .draining]
        let isAllowed =
            setting.verifies && stages.contains(peer.link.stage) && !peer.memory.verification.wantsComparison
        guard try request(side, "compareStrings", isAllowed: isAllowed, { try $0.compareStrings(at: now) }) else {
            return
        }
        peer.memory.verification.wantsComparison = true
    }

    // MARK: What they hear

    func take(_ event: VerificationEvent, of side: Int) throws(OracleFailure) {
        try require(setting.verifies, "\(event), and nobody lists it")
        var own = peers[side].memory.verification
        let other = peers[1 - side].memory.verification
        switch event {
        case .codeWanted(let token, let number):
            record.add(0x30 + UInt64(number) << 8)
            try require(own.token == nil && (own.given == nil || own.isVoid), "a second attempt (R25.6-7)")
            try requireEqual(other.given?.number, number, "the number that was typed")
            own.token = token
        case .codeAbandoned: try require(false, "a link tells of an attempt that was left; its owner does")
        case .codeVoid:
            record.add(0x31)
            try require(own.given != nil && other.given != nil && !own.isVoid, "void, and not both typed")
            try require(setting.key(1 - side) < setting.key(side), "the greater key's code stands (R25.7-2)")
            own.isVoid = true
        case .codeBurned(let role):
            record.add(role == .typist ? 0x32 : 0x33)
            try require(own.burned == nil, "burned twice")
            // The typist first: it shows that it knows the code before the presenter does (R25.5-4).
            try requireEqual(other.burned, role == .typist ? nil : .typist, "what the remote peer has burned")
            own.burned = role
        case .codeVerified(let role):
            record.add(role == .typist ? 0x34 : 0x35)
            try requireEqual(own.burned, role, "whose code is burned")
            try requireEqual(other.verified, role == .typist ? .presenter : nil, "whom the remote peer has verified")
            try require(Self.areSame(own, other), "verified, and the codes differ")
            own.verified = role
        case .comparisonWanted:
            record.add(0x36)
            try require(other.wantsComparison && !own.wantsComparison && !own.isComparisonWanted, "wanted by nobody")
            own.isComparisonWanted = true
        case .shortString(let string):
            record.add(0x37)
            record.add(Array(string.digits.utf8).span)
            try require(own.wantsComparison && other.wantsComparison && own.string == nil, "a string that nobody wants")
            if let theirs = other.string { try requireEqual(string, theirs, "what both compare") }
            own.string = string
        @unknown default: throw OracleFailure("an event that the model does not know: \(event)")
        }
        peers[side].memory.verification = own
    }

    /// Whether one peer's person has typed what the other one shows.
    private static func areSame(_ one: SessionVerification, _ other: SessionVerification) -> Bool {
        let (typist, presenter) = one.token == nil ? (one, other) : (other, one)
        guard let given = typist.given, case .some(.some(let shown)) = presenter.answer else { return false }
        return given == shown
    }

    /// Why two honest peers do not come to an end.
    func check(_ failure: VerificationFailure, of side: Int) throws(OracleFailure) {
        let (own, other) = (peers[side].memory.verification, peers[1 - side].memory.verification)
        switch failure {
        case .codeWrong:
            try requireEqual(own.burned, .presenter, "who finds that the codes differ")
            try require(!Self.areSame(own, other), "the codes are the same")
        case .codeUnavailable:
            try require(other.given != nil, "nobody has typed a code")
            let isShown: Bool =
                if case .some(.some(let code)) = own.answer { code.number == other.given?.number } else { false }
            try require(!isShown, "the code is shown")
        @unknown default: throw OracleFailure("a failure that the model does not know: \(failure)")
        }
    }
}
