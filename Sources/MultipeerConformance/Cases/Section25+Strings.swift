import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Short strings (SPEC §25.3, §25.6).
extension Section25 {
    private static let ask = WireBytes.frame(.stringAsk, [0])
    private static func frame(_ type: FrameType, _ content: [UInt8] = bytes) -> [UInt8] {
        WireBytes.frame(type, content + [0])
    }

    /// A frame that the remote peer's table does not list, or one that its person does not answer.
    static let strings: [ConformanceCase] = [
        patient("ask", "STRING_ASK, and the peer's person wants nothing", .responder, ask),
        patient("commit", "STRING_COMMIT, and the peer's person wants nothing", .initiator, frame(.stringCommit)),
        unlisted("ask-twice", "STRING_ASK twice", .responder, ask + ask),
        unlisted("commit-twice", "STRING_COMMIT twice", .initiator, frame(.stringCommit) + frame(.stringCommit)),
        unlisted("ask-of-initiator", "STRING_ASK from the initiator of the link", .initiator, ask),
        unlisted("commit-of-responder", "STRING_COMMIT from the responder", .responder, frame(.stringCommit)),
        unlisted("nonce-unasked", "STRING_NONCE for no commitment", .responder, frame(.stringNonce)),
        unlisted("nonce-of-initiator", "STRING_NONCE from the initiator", .initiator, frame(.stringNonce)),
        unlisted(
            "reveal-unasked", "STRING_REVEAL for no nonce", .initiator, frame(.stringCommit) + frame(.stringReveal)),
        refused(
            "25.6-commit-short", "STRING_COMMIT of 31 bytes", "R3.3-1", .malformed, tester: .initiator
        ) { _ in WireBytes.frame(.stringCommit, Array(bytes.dropLast())) },
        refused(
            "25.6-ask-trailing", "STRING_ASK with a byte behind its end", "R3.3-2", .malformed, tester: .responder
        ) { _ in WireBytes.frame(.stringAsk, [0, 0]) },
    ]

    private static func patient(
        _ topic: String, _ title: String, _ tester: StreamRole, _ bytes: [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            "25.6-\(topic)", title, "R25.6-4",
            expects: "the link continues, without a commitment or a nonce of the peer's",
            tester: tester
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reachVerifying(.open)
            try play.peer.send(bytes)
            return Evidence("the link continued").and(
                try play.expectClose(.noError, forbidding: [.stringCommit, .stringNonce]))
        }
    }

    private static func unlisted(
        _ topic: String, _ title: String, _ tester: StreamRole, _ bytes: [UInt8]
    ) -> ConformanceCase {
        refused("25.6-\(topic)", title, "R25.6-3", .unexpectedFrame, at: .open, tester: tester) { _ in bytes }
    }

    // MARK: A peer whose person compares

    private static let nonce = [UInt8](repeating: 7, count: 32)

    /// The tester is the initiator, and the peer has asked: the tester commits, and the peer's nonce comes.
    private static func commit(_ play: Play) throws(Interruption) -> [UInt8] {
        try play.reachVerifying(.identified)
        _ = try play.take(.stringAsk)
        let script = play.peer.script
        let commitment = try own { () throws(ScriptedPeerError) in try script.commitment(to: nonce) }
        try play.peer.send(frame(.stringCommit, commitment))
        return Array(try play.take(.stringNonce).payload.prefix(32))
    }

    /// The tester is the responder, and the peer has committed.
    private static func committed(_ play: Play) throws(Interruption) -> [UInt8] {
        try play.reachVerifying(.identified)
        return Array(try play.take(.stringCommit).payload.prefix(32))
    }

    private static func comparing(
        _ topic: String, _ title: String, _ requirements: String, expects: String, tester: StreamRole,
        _ script: @escaping @Sendable (Play) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        ConformanceCase(
            "25.\(topic)", title, requirements, expects: expects, tester: tester, peer: .accepts,
            verification: .compares, script)
    }

    static let compared: [ConformanceCase] = [
        comparing(
            "3-compared-initiator", "Two persons compare, and the tester commits", "R25.6-4 R25.6-5",
            expects: "STRING_NONCE for the commitment, and a link that continues", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try commit(play)
            try play.peer.send(frame(.stringReveal, nonce))
            return Evidence("STRING_ASK, then STRING_NONCE").and(try play.expectAlive())
        },
        comparing(
            "3-compared-responder", "Two persons compare, and the peer commits", "R25.3-2 R25.6-5",
            expects: "STRING_REVEAL at once, of the nonce that was committed to", tester: .responder
        ) { (play: Play) throws(Interruption) -> Evidence in
            let commitment = try committed(play)
            try play.peer.send(frame(.stringNonce, nonce))
            let revealed = Array(try play.take(.stringReveal).payload.prefix(32))
            let script = play.peer.script
            let made = try own { () throws(ScriptedPeerError) in try script.commitment(to: revealed) }
            guard made == commitment else { throw .failed("the nonce is not the one that was committed to") }
            return Evidence("STRING_REVEAL of the right nonce").and(try play.expectAlive())
        },
        comparing(
            "3-other-nonce", "STRING_REVEAL of another nonce than the one committed to", "R25.3-2",
            expects: "CLOSE commitment_invalid, then the end of the stream", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try commit(play)
            try play.peer.send(frame(.stringReveal, [8] + nonce.dropFirst()))
            return try play.expectClose(.commitmentInvalid)
        },
        comparing(
            "3-peers-nonce", "STRING_REVEAL of the peer's own nonce", "R25.3-2",
            expects: "CLOSE commitment_invalid, then the end of the stream", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            let theirs = try commit(play)
            try play.peer.send(frame(.stringReveal, theirs))
            return try play.expectClose(.commitmentInvalid)
        },
        comparing(
            "6-reveal-twice", "STRING_REVEAL twice", "R25.6-3", expects: "CLOSE unexpected_frame", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try commit(play)
            try play.peer.send(frame(.stringReveal, nonce) + frame(.stringReveal, nonce))
            return try play.expectClose(.unexpectedFrame)
        },
        comparing(
            "6-commit-behind-nonce", "STRING_COMMIT again when the nonce is known", "R25.6-3",
            expects: "CLOSE unexpected_frame", tester: .initiator
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try commit(play)
            try play.peer.send(frame(.stringCommit, nonce))
            return try play.expectClose(.unexpectedFrame)
        },
        comparing(
            "6-ask-crosses", "STRING_ASK crosses STRING_COMMIT", "R25.6-3", expects: "STRING_REVEAL for the nonce",
            tester: .responder
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try committed(play)
            try play.peer.send(ask)
            try play.peer.send(frame(.stringNonce, nonce))
            _ = try play.take(.stringReveal)
            return Evidence("STRING_REVEAL").and(try play.expectAlive())
        },
        comparing(
            "6-nonce-twice", "STRING_NONCE twice", "R25.6-3", expects: "CLOSE unexpected_frame", tester: .responder
        ) { (play: Play) throws(Interruption) -> Evidence in
            _ = try committed(play)
            try play.peer.send(frame(.stringNonce, nonce) + frame(.stringNonce, nonce))
            return try play.expectClose(.unexpectedFrame)
        },
    ]
}
