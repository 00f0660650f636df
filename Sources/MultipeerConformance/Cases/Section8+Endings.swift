import MultipeerCrypto
import MultipeerRules
import MultipeerScriptedPeer
import MultipeerWire

/// Invitations that are taken back, and those that cross (SPEC §8.5, §8.6).
extension Section8 {
    // MARK: CANCEL

    private static func cancelled(
        _ id: String, _ title: String, _ requirements: String, at stage: Play.Stage,
        _ frames: @escaping @Sendable (Play) -> [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            id, title, requirements, expects: "CLOSE no_error, no READY, then the end of the stream",
            peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(stage)
            try play.peer.send(frames(play))
            return try play.expectClose(.noError, probing: false, forbidding: [.ready])
        }
    }

    static let cancel: [ConformanceCase] =
        InvitationRules.cancels.map { ending in
            cancelled(ending.id, "CANCEL of reason \(ending.reason) right behind INVITE", "R8.5-1", at: .identified) {
                $0.invite() + WireBytes.cancel(ending.reason)
            }
        } + [
            cancelled("8.5-crosses-accept", "CANCEL that crosses ACCEPT", "R8.5-2", at: .agreed) { _ in
                WireBytes.cancel()
            }
        ]

    // MARK: Crossing

    private static func crosses(
        _ topic: String, _ title: String, expects expectation: String,
        _ body: @escaping @Sendable (Play, Invite) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        ConformanceCase("8.6-\(topic)", title, "R8.6-1", expects: expectation, peer: .invites) {
            (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            return try body(play, try play.awaitInvite())
        }
    }

    static let crossing: [ConformanceCase] = [
        crosses(
            "lesser-stands", "The tester's INVITE crosses the peer's, and stands",
            expects: "ACCEPT and CERTIFICATES, or DECLINE, as the peer's app answers"
        ) { (play: Play, own: Invite) throws(Interruption) -> Evidence in
            try play.sendInvite(charter: play.charter(winning: true, against: own))
            return try play.expectAnswer()
        },
        crosses(
            "greater-is-void", "The tester's INVITE crosses the peer's, and is void",
            expects: "the peer continues with its own INVITE, and a session opens"
        ) { (play: Play, own: Invite) throws(Interruption) -> Evidence in
            try play.peer.send(play.invite(charter: play.charter(winning: false, against: own)))
            try play.sendAccept()
            _ = try play.take(.certificates)
            play.stage = .agreed
            return try play.mustReach(.open).and(try play.expectAlive())
        },
        crosses(
            "void-cancelled", "CANCEL follows a void INVITE", expects: "CLOSE no_error, then the end of the stream"
        ) { (play: Play, own: Invite) throws(Interruption) -> Evidence in
            let charter = play.charter(winning: false, against: own)
            try play.peer.send(play.invite(charter: charter) + WireBytes.cancel())
            return try play.expectClose(.noError, probing: false, forbidding: [.certificates])
        },
        crosses(
            "void-malformed", "A void INVITE is malformed", expects: "CLOSE malformed, then the end of the stream"
        ) { (play: Play, own: Invite) throws(Interruption) -> Evidence in
            let charter = play.charter(winning: false, against: own)
            try play.peer.send(play.invite(charter: charter, preference: 3))
            return try play.expectClose(.malformed)
        },
        crosses(
            "second-crossing", "A second INVITE crosses",
            expects: "CLOSE unexpected_frame, then the end of the stream"
        ) { (play: Play, own: Invite) throws(Interruption) -> Evidence in
            let invite = play.invite(charter: play.charter(winning: false, against: own))
            try play.peer.send(invite + invite)
            return try play.expectClose(.unexpectedFrame)
        },
    ]
}

extension Play {
    /// A new session of the tester's, whose INVITE wins against one of the peer's, or is void.
    fileprivate func charter(winning: Bool, against invite: Invite) -> [UInt8] {
        let hashing = cryptography.crypto.hashing
        return Charter.founded(
            by: peer.identity.identityKey.rawBytes, lesser: winning, than: SessionID(invite.charter, hashing: hashing),
            hashing: hashing
        ).encoded
    }

    /// Expects what the peer's app makes of the tester's INVITE.
    fileprivate func expectAnswer() throws(Interruption) -> Evidence {
        let frame = try nextFrame(awaiting: "ACCEPT or DECLINE")
        switch frame.known {
        case .accept:
            _ = try take(.certificates)
            return Evidence("the peer's app accepted")
        case .decline: return try expectClose(.noError, probing: false)
        default: throw .failed("\(frame.text) came in place of ACCEPT or DECLINE")
        }
    }

    /// Comes to know a peer whose identity key is greater than the tester's, or not.
    ///
    /// A responder shows its key before it sees the peer's, so it shows one at the edge of the range, and a peer may still lie
    /// beyond it: about one in 512. Then the tester connects again: a peer that keeps its key is known now, and one that makes
    /// a key for each connection will hardly do so again.
    func meet(lesser: Bool) throws(Interruption) {
        var known: [UInt8]?
        for attempt in 0..<3 {
            if attempt > 0 { try reconnect() }
            try takeIdentity(lesser: lesser, than: known)
            try reach(.identified)
            guard let key = peer.peerProof?.identityKey else { throw .inconclusive("there is no PROOF of the peer's") }
            if Self.isBeyond(peer.identity.identityKey, lesser: lesser, key) { return }
            known = key
        }
        throw .inconclusive("the peer's identity key is nearly the \(lesser ? "least" : "greatest")")
    }

    /// Gives the tester an identity whose key is very small, or very large, and beyond the peer's where that is known.
    private func takeIdentity(lesser: Bool, than known: [UInt8]?) throws(Interruption) {
        for _ in 0..<20_000 {
            let cryptography = cryptography
            let identity = try own { () throws(CryptoFailure) in try cryptography.makeIdentity() }
            let key = identity.identityKey
            guard key.rawBytes[0] == (lesser ? 0 : 0xFF) else { continue }
            guard let known, !Self.isBeyond(key, lesser: lesser, known) else {
                peer.identity = identity
                return
            }
        }
        throw .inconclusive("no such identity key was found")
    }

    private static func isBeyond(_ key: IdentityKey, lesser: Bool, _ other: [UInt8]) -> Bool {
        lesser ? key.rawBytes.lexicographicallyPrecedes(other) : other.lexicographicallyPrecedes(key.rawBytes)
    }
}
