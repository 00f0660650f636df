import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// The peer shows a one-time code, and the tester types it (SPEC §25.4 to §25.7).
extension Section25 {
    /// An attempt under way: CODE_ANSWER came.
    private struct Begun {
        let attempt: ScriptedAttempt
        let answer: ScriptedPeer.Frame

        func confirmations(_ play: Play) throws(Interruption) -> (own: [UInt8], theirs: [UInt8]) {
            try play.confirmations(of: attempt, with: answer)
        }
    }

    private static func begin(
        _ play: Play, _ code: OneTimeCode, sid: [UInt8]? = nil, exchangesRoles: Bool = false
    ) throws(Interruption) -> Begun {
        try play.reachVerifying(.identified)
        let attempt = try play.attempt(asTypist: true, code, sid: sid, exchangesRoles: exchangesRoles)
        try play.peer.send(try play.frame(of: attempt))
        return Begun(attempt: attempt, answer: try play.take(.codeAnswer))
    }

    private static func shows(
        _ topic: String, _ title: String, _ requirements: String, expects expectation: String,
        tester: StreamRole? = nil, waits: ConformanceCase.Wait = .none,
        _ script: @escaping @Sendable (Play) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        ConformanceCase(
            "25.\(topic)", title, requirements, expects: expectation, tester: tester, waits: waits,
            verification: .shows, script)
    }

    /// A guess that is wrong: the code is burned, and no confirmation of the peer's comes.
    private static func guess(
        _ topic: String, _ title: String,
        _ make: @escaping @Sendable (Play, OneTimeCode) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        shows(
            "5-guess-\(topic)", title, "R25.5-3 R25.5-4", expects: "CLOSE code_wrong, and no CODE_CONFIRM of the peer's"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let confirmation = try make(play, try play.code())
            try play.peer.send(play.confirm(confirmation))
            return try play.expectClose(.codeWrong, forbidding: [.codeConfirm])
        }
    }

    /// A frame in the place of CODE_CONFIRM.
    private static func inPlace(
        _ topic: String, _ title: String, _ requirements: String, _ code: CloseCode,
        _ frames: @escaping @Sendable (Play) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        shows(
            topic, title, requirements, expects: "CLOSE \(FrameText.name(code)), and no CODE_CONFIRM of the peer's"
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try begin(play, try play.code())
            let bytes = try frames(play)
            try play.peer.send(bytes)
            return try play.expectClose(code, forbidding: [.codeConfirm, .accept])
        }
    }

    static let presenter: [ConformanceCase] = right + guesses + badShares + outOfPlace + again

    private static let right: [ConformanceCase] = [
        shows(
            "5-right-code", "The tester types the code that the peer shows", "R25.5-3 R25.5-4",
            expects: "CODE_CONFIRM that is right, and a link on which an invitation is accepted"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let begun = try begin(play, try play.code())
            let both = try begun.confirmations(play)
            try play.peer.send(play.confirm(both.own))
            return try play.expectOpen(try play.takeConfirmation(both.theirs))
        }
    ]

    private static let guesses: [ConformanceCase] = [
        guess("word", "The tester has another word") { (play, code) throws(Interruption) in
            try begin(play, Play.wrong(code)).confirmations(play).own
        },
        guess("flipped", "A bit of the right confirmation is flipped") { (play, code) throws(Interruption) in
            var confirmation = try begin(play, code).confirmations(play).own
            confirmation[31] ^= 1
            return confirmation
        },
        guess("role", "The confirmation is the one of the other role") { (play, code) throws(Interruption) in
            try begin(play, code).confirmations(play).theirs
        },
        guess("relayed", "The tester passes on what somebody has sent on another link") {
            (play, code) throws(Interruption) in
            try begin(play, code, sid: [UInt8](repeating: 9, count: 32)).confirmations(play).own
        },
        guess("keys", "The tester has the keys in the order of the other roles") { (play, code) throws(Interruption) in
            try begin(play, code, exchangesRoles: true).confirmations(play).own
        },
    ]

    private static let badShares: [ConformanceCase] = BadShare.allCases.map { share in
        shows(
            "5-begin-\(share)", "\(share.rawValue) as the share of CODE_BEGIN", "R25.5-2",
            expects: "CLOSE malformed, and no CODE_ANSWER"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let code = try play.code()
            try play.reachVerifying(.identified)
            let attempt = try play.attempt(asTypist: true, code)
            let good = try own { () throws(CryptoFailure) in try attempt.message() }
            try play.peer.send(try play.frame(of: attempt, share: share.bytes(of: good.share.rawBytes)))
            return try play.expectClose(.malformed, probing: false, forbidding: [.codeAnswer])
        }
    }

    private static let outOfPlace: [ConformanceCase] = [
        inPlace("6-begin-twice", "CODE_BEGIN behind CODE_ANSWER", "R25.6-7 R25.7-1", .unexpectedFrame) {
            (play) throws(Interruption) in
            try play.frame(of: try play.attempt(asTypist: true, try play.code()))
        },
        inPlace("7-answer-of-typist", "CODE_ANSWER of the side that types", "R25.7-1", .unexpectedFrame) { _ in
            WireBytes.frame(.codeAnswer, bytes + [0])
        },
        inPlace("7-invite-in-pairing", "INVITE behind CODE_ANSWER", "R25.7-1", .unexpectedFrame) { $0.invite() },
        inPlace("6-confirm-short", "CODE_CONFIRM of 31 bytes", "R3.3-1", .malformed) {
            $0.confirm(Array(bytes.dropLast()), fields: [])
        },
        shows(
            "6-attempt-deadline", "No CODE_CONFIRM", "R25.6-8",
            expects: "CLOSE handshake_timeout 10 s behind CODE_BEGIN",
            waits: .attempt
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try begin(play, try play.code())
            return try play.expectClose(.handshakeTimeout, probing: false, forbidding: [.codeConfirm])
        },
    ]

    // MARK: More than one attempt

    private static let again: [ConformanceCase] = [
        shows(
            "6-second-attempt", "CODE_BEGIN again on a link on which the code was right", "R25.6-7",
            expects: "CLOSE unexpected_frame"
        ) { (play: Play) throws(Interruption) -> Evidence in
            let code = try play.code()
            let begun = try begin(play, code)
            let both = try begun.confirmations(play)
            try play.peer.send(play.confirm(both.own))
            _ = try play.takeConfirmation(both.theirs)
            try play.peer.send(try play.frame(of: begun.attempt))
            return try play.expectClose(.unexpectedFrame, forbidding: [.codeAnswer])
        },
        shows(
            "5-guess-again", "A second guess with the code of a wrong confirmation", "R25.5-5",
            expects: "the code is good no more: CLOSE code_unavailable, or code_wrong for what the peer shows by now",
            tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            let code = try play.code()
            let wrong = try begin(play, Play.wrong(code)).confirmations(play).own
            try play.peer.send(play.confirm(wrong))
            _ = try play.expectClose(.codeWrong, forbidding: [.codeConfirm])
            try play.reconnect()
            return try expectBurned(play, code)
        },
        shows(
            "5-used-again", "The code that was right a second time", "R25.5-5",
            expects: "the code is good no more: CLOSE code_unavailable, or code_wrong for what the peer shows by now",
            tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            let code = try play.code()
            let both = try begin(play, code).confirmations(play)
            try play.peer.send(play.confirm(both.own))
            _ = try play.takeConfirmation(both.theirs).and(try play.expectAlive())
            try play.reconnect()
            return try expectBurned(play, code)
        },
        shows(
            "6-attempt-left", "An attempt that the tester leaves before CODE_CONFIRM burns nothing", "R25.6-8 R25.5-5",
            expects: "the code is right on the next link", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            let code = try play.code()
            _ = try begin(play, code)
            _ = try play.expectClose(.noError)
            try play.reconnect()
            let both = try begin(play, code).confirmations(play)
            try play.peer.send(play.confirm(both.own))
            return try play.takeConfirmation(both.theirs).and(try play.expectAlive())
        },
        shows(
            "6-several-attempts", "The right code on a second link while another attempt is under way",
            "R25.6-6 R25.5-5",
            expects:
                "CODE_CONFIRM on the second link, and CLOSE code_unavailable for the right confirmation on the first one",
            tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            let code = try play.code()
            let begun = try begin(play, code)
            let (both, first) = (try begun.confirmations(play), play.peer)
            try play.reconnect()
            let second = try begin(play, code).confirmations(play)
            try play.peer.send(play.confirm(second.own))
            let verified = try play.takeConfirmation(second.theirs).and(try play.expectAlive())
            play.go(back: first)
            try play.peer.send(play.confirm(both.own))
            return verified.and(try play.expectClose(.codeUnavailable, probing: false, forbidding: [.codeConfirm]))
        },
    ]

    /// Whatever the peer shows by now is another code.
    private static func expectBurned(_ play: Play, _ code: OneTimeCode) throws(Interruption) -> Evidence {
        try play.reachVerifying(.identified)
        let attempt = try play.attempt(asTypist: true, code)
        try play.peer.send(try play.frame(of: attempt))
        let frame = try play.nextFrame(awaiting: "CLOSE code_unavailable")
        if frame.known == .codeAnswer {
            let both = try play.confirmations(of: attempt, with: frame)
            try play.peer.send(play.confirm(both.own))
            return try play.expectClose(.codeWrong, forbidding: [.codeConfirm])
        }
        guard frame.known == .close, (try? Close(payload: frame.payload.span).code) == .codeUnavailable else {
            throw .failed("\(frame.text) came in place of CLOSE code_unavailable")
        }
        try play.close()
        return try play.expectEnd(after: "CLOSE code_unavailable")
    }
}
