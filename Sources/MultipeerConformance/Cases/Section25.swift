import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Verification: one-time codes and short strings.
enum Section25 {
    static let cases: [ConformanceCase] = unasked + strangers + strings + presenter + typist + compared

    private static let share = [UInt8](repeating: 0xFF, count: 32)
    static let bytes = [UInt8](repeating: 1, count: 32)

    /// Goes to a place as a peer that lists the feature, sends frames, and expects CLOSE with a code.
    static func refused(
        _ id: String, _ title: String, _ requirements: String, _ code: CloseCode, at stage: Play.Stage = .identified,
        tester: StreamRole? = nil, peer: PeerProfile.Invitations? = nil,
        verification: PeerProfile.Verification = .nothing, forbidding forbidden: Set<FrameType> = [],
        _ frames: @escaping @Sendable (Play) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "CLOSE \(FrameText.name(code)), then the end of the stream",
            tester: tester, peer: peer, verification: verification
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reachVerifying(stage)
            let bytes = try frames(play)
            try play.peer.send(bytes)
            // A peer asks the person who shows the code before it answers; the tester's CLOSE would come before that.
            return try play.expectClose(code, probing: code != .codeUnavailable, forbidding: forbidden)
        }
    }

    // MARK: Codes that nobody wants

    private static func begin(_ share: [UInt8], _ number: UInt64) -> [UInt8] {
        WireBytes.frame(.codeBegin, share + WireBytes.varint(number) + [0])
    }

    private static let unasked: [ConformanceCase] = [
        refused(
            "25.6-no-code", "CODE_BEGIN for a code that the peer does not show", "R25.6-6", .codeUnavailable,
            forbidding: [.codeAnswer]
        ) { (play) throws(Interruption) in
            guard let code = OneTimeCode(typed: "999-zodiac-zodiac") else { return [] }
            return try play.frame(of: try play.attempt(asTypist: true, code))
        },
        refused(
            "25.5-no-share-no-code", "CODE_BEGIN with a share that is none: it is not judged, for no code is shown",
            "R25.5-2 R25.6-6", .codeUnavailable
        ) { _ in begin(share, 999) },
        refused("25.6-number-0", "CODE_BEGIN with number 0", "R25.6-1", .malformed) { _ in begin(bytes, 0) },
        refused("25.6-number-1000", "CODE_BEGIN with number 1,000", "R25.6-1", .malformed) { _ in begin(bytes, 1_000) },
        refused("25.6-begin-trailing", "CODE_BEGIN with a byte behind its end", "R3.3-2", .malformed) { _ in
            WireBytes.frame(.codeBegin, bytes + [4, 0, 0])
        },
        refused("25.6-begin-even-field", "CODE_BEGIN with an unknown field of even type", "R3.4-3", .unsupported) { _ in
            WireBytes.frame(.codeBegin, bytes + [4] + WireBytes.vector(WireBytes.evenField))
        },
        refused("25.7-answer-unasked", "CODE_ANSWER that nobody asked for", "R25.7-1", .unexpectedFrame) { _ in
            WireBytes.frame(.codeAnswer, bytes + [0])
        },
        refused("25.7-confirm-unasked", "CODE_CONFIRM without an attempt", "R25.7-1", .unexpectedFrame) { _ in
            WireBytes.frame(.codeConfirm, bytes + [0])
        },
        refused(
            "25.7-state-before-payload", "CODE_CONFIRM without an attempt, and not even well-formed", "R25.7-1",
            .unexpectedFrame
        ) { _ in WireBytes.frame(.codeConfirm, [1]) },
        refused(
            "25.7-begin-behind-invite", "CODE_BEGIN behind the tester's INVITE", "R25.7-1", .unexpectedFrame,
            peer: .accepts, forbidding: [.codeAnswer]
        ) { $0.invite() + begin(bytes, 4) },
        refused("25.7-begin-agreed", "CODE_BEGIN behind ACCEPT", "R25.7-1", .unexpectedFrame, at: .agreed) { _ in
            begin(bytes, 4)
        },
        refused("25.7-begin-open", "CODE_BEGIN on an open link", "R25.7-1", .unexpectedFrame, at: .open) { _ in
            begin(bytes, 4)
        },
    ]

    // MARK: A tester that does not list the feature

    private static func stranger(_ name: String, _ frame: [UInt8], at stage: Play.Stage) -> ConformanceCase {
        ConformanceCase(
            "25.6-not-listed-\(name)",
            "\(name.uppercased().replacing("-", with: "_")) of a tester that does not list the feature",
            "R25.6-2 R6.4-2",
            expects: "CLOSE unexpected_frame, or unsupported from a peer that does not list it either"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(stage)
            try play.peer.send(frame)
            return try play.expectClose(
                play.peerVerifies ? .unexpectedFrame : .unsupported, forbidding: [.codeAnswer, .stringNonce])
        }
    }

    private static let strangers: [ConformanceCase] = [
        stranger("code-begin", begin(bytes, 4), at: .identified),
        stranger("string-ask", WireBytes.frame(.stringAsk, [0]), at: .identified),
        stranger("string-commit", WireBytes.frame(.stringCommit, bytes + [0]), at: .open),
    ]
}
