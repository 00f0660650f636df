import MultipeerCrypto
import MultipeerWire

/// Peer info and invitations.
enum Section8 {
    static let cases: [ConformanceCase] = peerInfo + invite + accept + unanswered + decline + cancel + crossing

    private static let peerInfo: [ConformanceCase] = [
        .poke("8.1-maximum-zero", "maximumMessage 0", "R8.1-2", at: .proved, .malformed) { _ in
            Craft.peerInfo(maximumMessage: 0)
        },
        .poke("8.1-maximum-too-large", "maximumMessage 2^32", "R8.1-2", at: .proved, .malformed) { _ in
            Craft.peerInfo(maximumMessage: 1 << 32)
        },
        .pass("8.1-maximum-largest", "maximumMessage 2^32 - 1", "R8.1-2", at: .proved) { _ in
            Craft.peerInfo(maximumMessage: 1 << 32 - 1)
        },
        .pass("8.1-maximum-smallest", "maximumMessage 1", "R8.1-2", at: .proved) { _ in
            Craft.peerInfo(maximumMessage: 1)
        },
        .poke("8.1-twice", "PEER_INFO twice", "R8.1-1", at: .identified, .unexpectedFrame) { _ in Craft.peerInfo() },
        .poke("8.1-second-when-open", "PEER_INFO on an open link", "R8.1-1", at: .open, .unexpectedFrame) { _ in
            Craft.peerInfo()
        },
    ]

    // MARK: INVITE

    private static func badInvite(
        _ topic: String, _ title: String, _ requirements: String, _ frame: [UInt8], _ code: CloseCode = .malformed
    ) -> ConformanceCase {
        .poke(
            "8.2-\(topic)", "INVITE \(title)", requirements, at: .identified, code,
            forbidding: [.accept, .certificates, .decline], peer: .accepts
        ) { _ in frame }
    }

    private static func goodInvite(
        _ topic: String, _ title: String, _ requirements: String,
        _ adjust: @escaping @Sendable (inout Play.Terms) -> Void
    ) -> ConformanceCase {
        ConformanceCase(
            "8.2-\(topic)", "INVITE \(title)", requirements, expects: "ACCEPT, and a session", peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            adjust(&play.terms)
            try play.reach(.identified)
            let came = try play.mustReach(.open)
            return came.and(try play.expectAlive())
        }
    }

    private static let invite: [ConformanceCase] = [
        badInvite("preference-3", "with preference 3", "R8.2-1", Craft.invite(preference: 3)),
        badInvite("timeout-zero", "with timeout 0", "R8.2-1", Craft.invite(timeout: 0)),
        badInvite("timeout-too-long", "with timeout 600,001", "R8.2-1", Craft.invite(timeout: 600_001)),
        badInvite(
            "identity-kind", "with an unknown identityKind", "R8.2-2", Craft.invite(identityKind: 2), .unsupported),
        badInvite(
            "context-too-long", "with a context of 16,385 bytes", "R3.3-1",
            Craft.invite(context: [UInt8](repeating: 0x63, count: 16_385))),
        badInvite("trailing-byte", "with a byte behind its end", "R3.3-2", Craft.invite(rest: [0])),
        badInvite(
            "even-field", "with an unknown field of even type", "R3.4-3", Craft.invite(fields: Craft.evenField),
            .unsupported),
        badInvite(
            "order-of-faults", "with an unknown identityKind and a timeout of 0: the first fault counts", "R18-1",
            Craft.invite(identityKind: 9, timeout: 0), .unsupported),
        goodInvite("longest-context", "with a context of 16,384 bytes", "R8.2-1") {
            $0.context = [UInt8](repeating: 0x63, count: 16_384)
        },
        goodInvite("longest-timeout", "with timeout 600,000", "R8.2-1") { $0.timeout = 600_000 },
        .poke(
            "8.2-before-peer-info", "INVITE before PEER_INFO", "R8.2-3 R8.1-1", at: .proved, .unexpectedFrame,
            forbidding: [.accept], peer: .accepts
        ) { _ in Craft.invite() },
        .poke(
            "8.2-twice", "A second INVITE after ACCEPT", "R8.2-3 R8.6-2", at: .agreed, .unexpectedFrame, peer: .accepts
        ) {
            _ in Craft.invite()
        },
        .poke(
            "8.2-twice-at-once", "Two INVITEs in one record", "R8.2-3 R8.6-2", at: .identified, .unexpectedFrame,
            forbidding: [.ready], peer: .accepts
        ) { _ in Craft.invite() + Craft.invite() },
        .poke("8.2-when-open", "INVITE on an open link", "R8.6-2", at: .open, .unexpectedFrame) { _ in Craft.invite() },
        ConformanceCase(
            "8.2-with-proof", "PROOF, PEER_INFO and INVITE in one record", "R8.2-3 R6.3-2",
            expects: "ACCEPT, and a session",
            tester: .initiator, peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            _ = try play.take(.proof)
            play.peer.conduct.sentProof = true
            let proof = try play.peer.proof()
            let invite = Craft.invite()
            (play.peer.invite, play.peer.inviter) = (invite, .initiator)
            try play.peer.send(Craft.proof(proof.key, proof.signature) + Craft.peerInfo() + invite)
            _ = try play.take(.peerInfo)
            try play.awaitAccept()
            _ = try play.take(.certificates)
            play.stage = .agreed
            return try play.mustReach(.open).and(try play.expectAlive())
        },
    ]

    // MARK: ACCEPT

    private static func badAccept(
        _ topic: String, _ title: String, _ requirements: String, _ code: CloseCode,
        _ frame: @escaping @Sendable (EncryptionPreference) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            "8.3-\(topic)", "ACCEPT \(title)", requirements,
            expects: "CLOSE \(FrameText.name(code)), no CERTIFICATES, then the end of the stream", peer: .invites
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            let invite = try play.awaitInvite()
            try play.peer.send(try frame(invite.preference))
            return try play.expectClose(code, forbidding: [.certificates, .ready])
        }
    }

    private static let accept: [ConformanceCase] = [
        badAccept("wrong-outcome", "with the outcome that §11 does not give", "R8.3-1", .policyViolation) {
            preference in
            Craft.accept(preference: 1, outcome: Policy.outcome(preference, .optional) == .encrypted ? 0 : 1)
        },
        badAccept("downgrade", "that says both want encryption, and takes none", "R8.3-1", .policyViolation) {
            (preference) throws(Interruption) in
            guard preference != .none else { throw .skipped("the peer wants no encryption") }
            return Craft.accept(preference: 2, outcome: 0)
        },
        badAccept("refused-policy", "where §11 refuses", "R8.3-1", .policyViolation) {
            (preference) throws(Interruption) in
            switch preference {
            case .none: return Craft.accept(preference: 2, outcome: 1)
            case .required: return Craft.accept(preference: 0, outcome: 0)
            case .optional: throw .skipped("the peer's preference is optional, which §11 refuses with none")
            }
        },
        badAccept("preference-3", "with preference 3", "R8.3-2", .malformed) { _ in Craft.accept(preference: 3) },
        badAccept("outcome-2", "with outcome 2", "R8.3-2", .malformed) { _ in Craft.accept(outcome: 2) },
        badAccept("identity-kind", "with an unknown identityKind", "R8.3-2", .unsupported) { _ in
            Craft.accept(identityKind: 2)
        },
        badAccept("even-field", "with an unknown field of even type", "R3.4-3", .unsupported) { _ in
            Craft.accept(fields: Craft.evenField)
        },
        .poke("8.3-twice", "A second ACCEPT", "R8.6-2", at: .agreed, .unexpectedFrame, peer: .invites) { play in
            play.peer.accept
        },
        .poke(
            "8.3-uninvited", "ACCEPT where nobody invited", "R8.6-2", at: .identified, .unexpectedFrame, peer: .accepts
        ) {
            _ in Craft.accept()
        },
    ]

    // MARK: No answer

    private static let unanswered: [ConformanceCase] = [
        ConformanceCase(
            "8.2-unanswered", "The peer's INVITE is not answered", "R8.2-4",
            expects: "CANCEL with reason 2 at the INVITE's timeout, CLOSE no_error, then the end of the stream",
            peer: .invites, waits: .answer
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            let invite = try play.awaitInvite()
            guard invite.timeout <= 120_000 else { throw .skipped("the peer waits for more than two minutes") }
            play.peer.deadline = play.peer.deadline.later(by: .milliseconds(invite.timeout))
            let frame = try play.take(.cancel)
            guard frame.payload == [2] else { throw .failed("\(frame.text) came in place of CANCEL with reason 2") }
            return Evidence("CANCEL timeout").and(try play.expectClose(.noError, probing: false))
        }
    ]

    // MARK: DECLINE

    private static func declined(
        _ topic: String, _ title: String, _ requirements: String, _ code: CloseCode, _ frame: [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            "8.4-\(topic)", "DECLINE \(title)", requirements,
            expects: "CLOSE \(FrameText.name(code)), then the end of the stream", peer: .invites
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            try play.awaitInvite()
            try play.peer.send(frame)
            // What ends a link in good order is told from a link that goes on by the tester's saying nothing more.
            return try play.expectClose(code, probing: code != .noError, forbidding: [.certificates])
        }
    }

    private static let decline: [ConformanceCase] = [
        declined("declined", "with reason 1", "R8.4-3", .noError, Craft.decline(1)),
        declined("busy", "with reason 2", "R8.4-3", .noError, Craft.decline(2)),
        declined("policy", "with reason 3 and a preference", "R8.4-1", .noError, Craft.decline(3, detail: [2])),
        declined(
            "unknown-reason", "with an unknown reason, whatever its detail", "R8.4-1", .noError,
            Craft.decline(99, detail: [1, 2, 3])),
        declined("surplus-detail", "with reason 1 and a detail", "R8.4-1", .malformed, Craft.decline(1, detail: [0])),
        declined("missing-detail", "with reason 3 and no detail", "R8.4-1", .malformed, Craft.decline(3)),
        declined("bad-detail", "with reason 3 and preference 3", "R8.4-1", .malformed, Craft.decline(3, detail: [3])),
        declined(
            "detail-too-long", "with a detail of 65 bytes", "R3.3-1", .malformed,
            Craft.decline(99, detail: [UInt8](repeating: 0, count: 65))),
        .poke(
            "8.4-uninvited", "DECLINE where nobody invited", "R8.6-2", at: .identified, .unexpectedFrame, peer: .accepts
        ) {
            _ in Craft.decline(1)
        },
    ]

    // MARK: CANCEL

    private static func cancelled(
        _ topic: String, _ title: String, _ requirements: String, at stage: Play.Stage, _ frames: [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            "8.5-\(topic)", title, requirements, expects: "CLOSE no_error, no READY, then the end of the stream",
            peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(stage)
            try play.peer.send(frames)
            return try play.expectClose(.noError, probing: false, forbidding: [.ready])
        }
    }

    private static let cancel: [ConformanceCase] = [
        cancelled("cancel", "CANCEL right behind INVITE", "R8.5-1", at: .identified, Craft.invite() + Craft.cancel()),
        cancelled(
            "unknown-reason", "CANCEL with an unknown reason", "R8.5-1", at: .identified,
            Craft.invite() + Craft.cancel(99)),
        cancelled("crosses-accept", "CANCEL that crosses ACCEPT", "R8.5-2", at: .agreed, Craft.cancel()),
        .poke(
            "8.5-after-certificates", "CANCEL after CERTIFICATES", "R8.5-2", at: .certified, .unexpectedFrame,
            peer: .accepts
        ) {
            _ in Craft.cancel()
        },
        .poke(
            "8.5-uninvited", "CANCEL where nobody invited", "R8.5-1", at: .identified, .unexpectedFrame, peer: .accepts
        ) {
            _ in Craft.cancel()
        },
        ConformanceCase(
            "8.5-by-invitee", "CANCEL from the invitee", "R8.5-1",
            expects: "CLOSE unexpected_frame, then the end of the stream", peer: .invites
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            try play.awaitInvite()
            try play.peer.send(Craft.cancel())
            return try play.expectClose(.unexpectedFrame)
        },
        .poke("8.5-when-open", "CANCEL on an open link", "R8.5-2", at: .open, .unexpectedFrame) { _ in Craft.cancel() },
    ]

    // MARK: Crossing

    private static func crosses(
        _ topic: String, _ title: String, lesser: Bool, expects expectation: String,
        _ body: @escaping @Sendable (Play) throws(Interruption) -> Evidence
    ) -> ConformanceCase {
        ConformanceCase("8.6-\(topic)", title, "R8.6-1", expects: expectation, peer: .invites) {
            (play: Play) throws(Interruption) -> Evidence in
            try play.takeIdentity(lesser: lesser)
            try play.reach(.identified)
            try play.awaitInvite()
            guard let key = play.peer.peerProof?.identityKey,
                play.peer.identity.identityKey.rawBytes.lexicographicallyPrecedes(key) == lesser
            else { throw .inconclusive("the peer's identity key is nearly the \(lesser ? "least" : "greatest")") }
            return try body(play)
        }
    }

    private static let crossing: [ConformanceCase] = [
        crosses(
            "lesser-stands", "The tester's INVITE crosses the peer's, and stands", lesser: true,
            expects: "ACCEPT, and a session"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.sendInvite()
            try play.awaitAccept()
            _ = try play.take(.certificates)
            play.stage = .agreed
            return try play.mustReach(.open).and(try play.expectAlive())
        },
        crosses(
            "greater-is-void", "The tester's INVITE crosses the peer's, and is void", lesser: false,
            expects: "the peer goes on with its own INVITE, and a session opens"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.peer.send(Craft.invite(session: Array(101...116)))
            try play.sendAccept()
            _ = try play.take(.certificates)
            play.stage = .agreed
            return try play.mustReach(.open).and(try play.expectAlive())
        },
        crosses(
            "void-cancelled", "CANCEL follows a void INVITE", lesser: false,
            expects: "CLOSE no_error, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.peer.send(Craft.invite() + Craft.cancel())
            return try play.expectClose(.noError, probing: false, forbidding: [.certificates])
        },
        crosses(
            "void-malformed", "A void INVITE is malformed", lesser: false,
            expects: "CLOSE malformed, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.peer.send(Craft.invite(preference: 3))
            return try play.expectClose(.malformed)
        },
        crosses(
            "second-crossing", "A second INVITE crosses", lesser: false,
            expects: "CLOSE unexpected_frame, then the end of the stream"
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.peer.send(Craft.invite() + Craft.invite())
            return try play.expectClose(.unexpectedFrame)
        },
    ]
}

extension Play {
    /// Gives the tester an identity whose key is very small, or very large.
    func takeIdentity(lesser: Bool) throws(Interruption) {
        for _ in 0..<20_000 {
            let toolbox = toolbox
            let identity = try own { () throws(CryptoFailure) in try toolbox.makeIdentity() }
            let first = identity.identityKey.rawBytes[0]
            if first == (lesser ? 0 : 0xFF) {
                peer.identity = identity
                return
            }
        }
        throw .inconclusive("no such identity key was found")
    }
}
