import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// The peer types the code that the tester shows (SPEC §25.4 to §25.7).
extension Section25 {
    /// CODE_BEGIN came, for the code that both know.
    private static func awaitBegin(_ play: Play) throws(Interruption) -> (code: OneTimeCode, begin: ScriptedPeer.Frame)
    {
        let code = try play.code()
        try play.reachVerifying(.identified)
        let frame = try play.take(.codeBegin)
        guard let begin = try? CodeBegin(payload: frame.payload.span), begin.number == UInt64(code.number) else {
            throw .failed("CODE_BEGIN came, with another number than that of the code")
        }
        return (code, frame)
    }

    private static func types(
        _ topic: String, _ title: String, _ requirements: String, expects expectation: String,
        waits: ConformanceCase.Wait = .none, _ script: @escaping @Sendable (Play) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        ConformanceCase(
            "25.\(topic)", title, requirements, expects: expectation, waits: waits, verification: .types, script)
    }

    /// What the tester answers and confirms for the wrong code, or on the wrong link.
    private static func deceives(
        _ topic: String, _ title: String,
        _ make:
            @escaping @Sendable (Play, OneTimeCode, ScriptedPeer.Frame) throws(Interruption)
            -> (answer: [UInt8], confirmation: [UInt8]?)
    ) -> ConformanceCase {
        types(
            "5-typed-\(topic)", title, "R25.5-3", expects: "CLOSE code_wrong, and no INVITE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let (code, begin) = try awaitBegin(play)
            let made = try make(play, code, begin)
            try play.peer.send(made.answer)
            let theirs = try play.take(.codeConfirm)
            try play.peer.send(WireBytes.frame(.codeConfirm, made.confirmation.map { $0 + [0] } ?? theirs.payload))
            return try play.expectClose(.codeWrong, forbidding: [.invite])
        }
    }

    /// The tester's own attempt, and its confirmation.
    private static func answered(
        _ play: Play, _ code: OneTimeCode, _ begin: ScriptedPeer.Frame, sid: [UInt8]? = nil,
        exchangesRoles: Bool = false, _ change: (inout [UInt8]) -> Void = { _ in }
    ) throws(Interruption) -> (answer: [UInt8], confirmation: [UInt8]?) {
        let attempt = try play.attempt(asTypist: false, code, sid: sid, exchangesRoles: exchangesRoles)
        var confirmation = try play.confirmations(of: attempt, with: begin).own
        change(&confirmation)
        return (try play.frame(of: attempt), confirmation)
    }

    static let typist: [ConformanceCase] = typed + deceptions + answerShares + unexpectedAnswers + crossing

    private static let typed: [ConformanceCase] = [
        types(
            "5-typed-right", "The peer types the code that the tester shows", "R25.5-3 R25.5-6",
            expects: "CODE_CONFIRM that is right, and a link that opens"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let (code, begin) = try awaitBegin(play)
            let attempt = try play.attempt(asTypist: false, code)
            let both = try play.confirmations(of: attempt, with: begin)
            try play.peer.send(try play.frame(of: attempt))
            let came = try play.takeConfirmation(both.theirs)
            try play.peer.send(play.confirm(both.own))
            return try play.expectOpen(came)
        },
        types(
            "6-typed-unavailable", "The tester says that it shows no such code", "R25.6-6",
            expects: "CLOSE no_error, and no INVITE"
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try awaitBegin(play)
            try play.peer.send(WireBytes.close(CloseCode.codeUnavailable.rawValue))
            return try play.expectClose(.noError, probing: false, forbidding: [.invite, .codeConfirm])
        },
        types(
            "6-typed-deadline", "No CODE_ANSWER", "R25.6-8", expects: "CLOSE handshake_timeout 10 s behind CODE_BEGIN",
            waits: .attempt
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try awaitBegin(play)
            return try play.expectClose(.handshakeTimeout, probing: false, forbidding: [.invite])
        },
    ]

    private static let deceptions: [ConformanceCase] = [
        deceives("wrong-word", "The tester has another word") { (play, code, begin) throws(Interruption) in
            try answered(play, Play.wrong(code), begin)
        },
        deceives("flipped", "A bit of the right confirmation is flipped") { (play, code, begin) throws(Interruption) in
            try answered(play, code, begin) { $0[0] ^= 0x80 }
        },
        deceives("relayed", "The tester passes on what somebody has sent on another link") {
            (play, code, begin) throws(Interruption) in
            try answered(play, code, begin, sid: [UInt8](repeating: 9, count: 32))
        },
        deceives("keys", "The tester has the keys in the order of the other roles") {
            (play, code, begin) throws(Interruption) in
            try answered(play, code, begin, exchangesRoles: true)
        },
        deceives("reflected", "The peer gets its own share and confirmation back") {
            (_, _, begin) throws(Interruption) in
            (WireBytes.frame(.codeAnswer, Array(begin.payload.prefix(32)) + [0]), nil)
        },
        deceives("confirmation-reflected", "The peer gets its own confirmation back") {
            (play, code, begin) throws(Interruption) in
            (try answered(play, code, begin).answer, nil)
        },
    ]

    private static let answerShares: [ConformanceCase] = BadShare.allCases.map { share in
        types(
            "5-answer-\(share)", "\(share.rawValue) as the share of CODE_ANSWER", "R25.5-2",
            expects: "CLOSE malformed, and no CODE_CONFIRM"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let (code, _) = try awaitBegin(play)
            let attempt = try play.attempt(asTypist: false, code)
            let good = try own { () throws(CryptoFailure) in try attempt.message() }
            try play.peer.send(try play.frame(of: attempt, share: share.bytes(of: good.share.rawBytes)))
            return try play.expectClose(.malformed, forbidding: [.codeConfirm])
        }
    }

    private static func unexpected(
        _ topic: String, _ title: String, forbidding: Set<FrameType> = [.invite],
        _ frames: @escaping @Sendable (Play, OneTimeCode) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        types("7-\(topic)", title, "R25.7-1", expects: "CLOSE unexpected_frame") {
            (play: Play) throws(Interruption) -> Evidence in
            let (code, _) = try awaitBegin(play)
            let bytes = try frames(play, code)
            try play.peer.send(bytes)
            return try play.expectClose(.unexpectedFrame, forbidding: forbidding)
        }
    }

    private static let unexpectedAnswers: [ConformanceCase] = [
        unexpected("confirm-first", "CODE_CONFIRM in the place of CODE_ANSWER", forbidding: [.codeConfirm]) {
            (play, _) in
            play.confirm(bytes)
        },
        unexpected("answer-twice", "CODE_ANSWER twice") { (play, code) throws(Interruption) in
            let answer = try play.frame(of: try play.attempt(asTypist: false, code))
            return answer + answer
        },
        unexpected("invite-behind-answer", "INVITE behind CODE_ANSWER") { (play, code) throws(Interruption) in
            try play.frame(of: try play.attempt(asTypist: false, code)) + play.invite()
        },
        unexpected("accept-in-pairing", "ACCEPT in the place of CODE_ANSWER", forbidding: [.codeConfirm]) { (_, _) in
            WireBytes.accept()
        },
        unexpected("invites-cross-twice", "INVITE twice in the place of CODE_ANSWER", forbidding: [.codeConfirm]) {
            (play, _) in
            play.invite() + play.invite()
        },
    ]

    // MARK: Both at once

    private static let crossing: [ConformanceCase] = [
        types(
            "7-invite-crosses", "INVITE crosses CODE_BEGIN, and CLOSE code_unavailable follows", "R25.6-6",
            expects: "CLOSE no_error for it, and nothing before"
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try awaitBegin(play)
            try play.peer.send(play.invite())
            try play.peer.send(WireBytes.close(CloseCode.codeUnavailable.rawValue))
            return try play.expectClose(
                .noError, probing: false, forbidding: [.accept, .decline, .invite, .codeConfirm])
        },
        both(
            "void", "Both type, and the tester's CODE_BEGIN is void", lesser: false,
            expects: "CODE_CONFIRM for CODE_ANSWER"
        ) {
            (play, code, begin) throws(Interruption) in
            let attempt = try play.attempt(asTypist: false, code)
            let both = try play.confirmations(of: attempt, with: begin)
            try play.peer.send(try play.frame(of: attempt))
            let came = try play.takeConfirmation(both.theirs)
            try play.peer.send(play.confirm(both.own))
            return try play.expectOpen(came)
        },
        both(
            "stands", "Both type, the tester's CODE_BEGIN stands, and the peer shows no code", lesser: true,
            expects: "CLOSE code_unavailable"
        ) { (play, _, _) throws(Interruption) in
            try play.expectClose(.codeUnavailable, probing: false, forbidding: [.codeConfirm, .codeAnswer])
        },
    ]

    private static func both(
        _ topic: String, _ title: String, lesser: Bool, expects: String,
        _ go: @escaping @Sendable (Play, OneTimeCode, ScriptedPeer.Frame) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        types("7-both-type-\(topic)", title, "R25.7-2", expects: expects) {
            (play: Play) throws(Interruption) -> Evidence in
            play.terms.features = [Feature.verification.rawValue]
            try play.meet(lesser: lesser)
            let (code, begin) = try awaitBegin(play)
            guard let other = OneTimeCode(typed: "999-zodiac-zodiac") else { throw .own(.malformedKey) }
            try play.peer.send(try play.frame(of: try play.attempt(asTypist: true, other)))
            return try go(play, code, begin)
        }
    }
}
