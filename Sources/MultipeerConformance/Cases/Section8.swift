import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerWire

/// Peer info and invitations.
enum Section8 {
    static let cases: [ConformanceCase] =
        peerInfo + invite + sessionKinds + accept + unanswered + decline + cancel + crossing

    private static let peerInfo: [ConformanceCase] = [
        .poke("8.1-maximum-zero", "maximumMessage 0", "R8.1-2", at: .proved, .malformed) { _ in
            WireBytes.peerInfo(maximumMessage: 0)
        },
        .poke("8.1-maximum-too-large", "maximumMessage 2^32", "R8.1-2", at: .proved, .malformed) { _ in
            WireBytes.peerInfo(maximumMessage: 1 << 32)
        },
        .pass("8.1-maximum-largest", "maximumMessage 2^32 - 1", "R8.1-2", at: .proved) { _ in
            WireBytes.peerInfo(maximumMessage: 1 << 32 - 1)
        },
        .pass("8.1-maximum-smallest", "maximumMessage 1", "R8.1-2", at: .proved) { _ in
            WireBytes.peerInfo(maximumMessage: 1)
        },
        .poke("8.1-features-descending", "Features that descend", "R8.1-3", at: .proved, .malformed) { _ in
            WireBytes.peerInfo(features: [0x4F02, 0x4F01])
        },
        .pass("8.1-features", "Features that nobody knows, GREASE among them", "R8.1-4", at: .proved) { _ in
            WireBytes.peerInfo(features: [0x1A1A, 0x4F01, 0xFF80])
        },
        .pass("8.1-no-name", "A display name that the tester shows to others only", "R8.1-6", at: .proved) { _ in
            WireBytes.peerInfo(name: [])
        },
        .poke("8.1-twice", "PEER_INFO twice", "R8.1-1", at: .identified, .unexpectedFrame) { _ in WireBytes.peerInfo()
        },
        .poke("8.1-second-when-open", "PEER_INFO on an open link", "R8.1-1", at: .open, .unexpectedFrame) { _ in
            WireBytes.peerInfo()
        },
    ]

    // MARK: INVITE

    /// Sends an INVITE with one fault.
    static func badInvite(
        _ topic: String, _ title: String, _ requirements: String, _ code: CloseCode = .malformed,
        section: String = "8.2", tester: StreamRole? = nil,
        _ frame: @escaping @Sendable (Play) throws(Interruption) -> [UInt8]
    ) -> ConformanceCase {
        .poke(
            "\(section)-\(topic)", "INVITE \(title)", requirements, at: .identified, code,
            forbidding: [.accept, .certificates, .decline], tester: tester, peer: .accepts, frame)
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
        badInvite("preference-3", "with preference 3", "R8.2-1") { $0.invite(preference: 3) },
        badInvite("timeout-zero", "with timeout 0", "R8.2-1") { $0.invite(timeout: 0) },
        badInvite("timeout-too-long", "with timeout 600,001", "R8.2-1") { $0.invite(timeout: 600_001) },
        badInvite("identity-kind", "with an unknown identityKind", "R8.2-2", .unsupported) {
            $0.invite(identityKind: 2)
        },
        badInvite("session-kind", "with an unknown sessionKind", "R8.2-2", .unsupported) {
            $0.invite(sessionKind: 3)
        },
        badInvite("other-founder", "to a new session that somebody else founded", "R8.2-5") {
            $0.invite(charter: WireBytes.charter(founder: Array(1...32)))
        },
        badInvite("even-parameter", "whose charter has an unknown parameter of even type", "R3.4-3", .unsupported) {
            $0.invite(
                charter: WireBytes.charter(
                    founder: $0.peer.identity.identityKey.rawBytes, parameters: WireBytes.evenField))
        },
        badInvite("context-too-long", "with a context of 16,385 bytes", "R3.3-1") {
            $0.invite(context: [UInt8](repeating: 0x63, count: 16_385))
        },
        badInvite("trailing-byte", "with a byte behind its end", "R3.3-2") { $0.invite(rest: [0]) },
        badInvite("even-field", "with an unknown field of even type", "R3.4-3", .unsupported) {
            $0.invite(fields: WireBytes.evenField)
        },
        badInvite(
            "order-of-faults", "with an unknown identityKind and a timeout of 0: the first fault counts", "R18-1",
            .unsupported
        ) { $0.invite(identityKind: 9, timeout: 0) },
        goodInvite("longest-context", "with a context of 16,384 bytes", "R8.2-1") {
            $0.context = [UInt8](repeating: 0x63, count: 16_384)
        },
        goodInvite("longest-timeout", "with timeout 600,000", "R8.2-1") { $0.timeout = 600_000 },
        .poke(
            "8.2-before-peer-info", "INVITE before PEER_INFO", "R8.2-3 R8.1-1", at: .proved, .unexpectedFrame,
            forbidding: [.accept], peer: .accepts
        ) { $0.invite() },
        .poke(
            "8.2-twice", "A second INVITE after ACCEPT", "R8.2-3 R8.6-2", at: .agreed, .unexpectedFrame, peer: .accepts
        ) { $0.invite() },
        .poke(
            "8.2-twice-at-once", "Two INVITEs in one record", "R8.2-3 R8.6-2", at: .identified, .unexpectedFrame,
            forbidding: [.ready], peer: .accepts
        ) { $0.invite() + $0.invite() },
        .poke("8.2-when-open", "INVITE on an open link", "R8.6-2", at: .open, .unexpectedFrame) { $0.invite() },
        ConformanceCase(
            "8.2-with-proof", "PROOF, PEER_INFO and INVITE in one record", "R8.2-3 R6.3-2",
            expects: "ACCEPT, and a session",
            tester: .initiator, peer: .accepts
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.channel)
            _ = try play.take(.proof)
            play.peer.behavior.sentProof = true
            let proof = try play.peer.proof()
            let invite = play.invite()
            (play.peer.invite, play.peer.inviter) = (invite, .initiator)
            try play.peer.send(proof.encoded() + WireBytes.peerInfo() + invite)
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
            WireBytes.accept(preference: 1, outcome: Policy.outcome(preference, .optional) == .encrypted ? 0 : 1)
        },
        badAccept("downgrade", "that says both want encryption, and takes none", "R8.3-1", .policyViolation) {
            (preference) throws(Interruption) in
            guard preference != .none else { throw .skipped("the peer wants no encryption") }
            return WireBytes.accept(preference: 2, outcome: 0)
        },
        badAccept("refused-policy", "where §11 refuses", "R8.3-1", .policyViolation) {
            (preference) throws(Interruption) in
            switch preference {
            case .none: return WireBytes.accept(preference: 2, outcome: 1)
            case .required: return WireBytes.accept(preference: 0, outcome: 0)
            case .optional: throw .skipped("the peer's preference is optional, which §11 refuses with none")
            }
        },
        badAccept("preference-3", "with preference 3", "R8.3-2", .malformed) { _ in WireBytes.accept(preference: 3) },
        badAccept("outcome-2", "with outcome 2", "R8.3-2", .malformed) { _ in WireBytes.accept(outcome: 2) },
        badAccept("identity-kind", "with an unknown identityKind", "R8.3-2", .unsupported) { _ in
            WireBytes.accept(identityKind: 2)
        },
        badAccept("even-field", "with an unknown field of even type", "R3.4-3", .unsupported) { _ in
            WireBytes.accept(fields: WireBytes.evenField)
        },
        .poke("8.3-twice", "A second ACCEPT", "R8.6-2", at: .agreed, .unexpectedFrame, peer: .invites) { play in
            play.peer.accept
        },
        .poke(
            "8.3-uninvited", "ACCEPT where nobody invited", "R8.6-2", at: .identified, .unexpectedFrame, peer: .accepts,
            WireBytes.accept()),
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
            guard frame.payload.first == 2 else { throw .failed("\(frame.text) came in place of CANCEL with reason 2") }
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
        declined("declined", "with reason 1", "R8.4-3", .noError, WireBytes.decline(1)),
        declined("busy", "with reason 2", "R8.4-3", .noError, WireBytes.decline(2)),
        declined("superseded", "with reason 5", "R8.4-3", .noError, WireBytes.decline(5)),
        declined("no-session", "with reason 6", "R8.4-3", .noError, WireBytes.decline(6)),
        declined("full", "with reason 7", "R8.4-3", .noError, WireBytes.decline(7)),
        declined(
            "surplus-detail-full", "with reason 7 and a detail", "R8.4-1", .malformed, WireBytes.decline(7, detail: [0])
        ),
        declined("policy", "with reason 3 and a preference", "R8.4-1", .noError, WireBytes.decline(3, detail: [2])),
        declined(
            "unknown-reason", "with an unknown reason, whatever its detail", "R8.4-1", .noError,
            WireBytes.decline(99, detail: [1, 2, 3])),
        declined(
            "surplus-detail", "with reason 1 and a detail", "R8.4-1", .malformed, WireBytes.decline(1, detail: [0])),
        declined("missing-detail", "with reason 3 and no detail", "R8.4-1", .malformed, WireBytes.decline(3)),
        declined(
            "bad-detail", "with reason 3 and preference 3", "R8.4-1", .malformed, WireBytes.decline(3, detail: [3])),
        declined(
            "detail-too-long", "with a detail of 65 bytes", "R3.3-1", .malformed,
            WireBytes.decline(99, detail: [UInt8](repeating: 0, count: 65))),
        .poke(
            "8.4-uninvited", "DECLINE where nobody invited", "R8.6-2", at: .identified, .unexpectedFrame,
            peer: .accepts, WireBytes.decline(1)),
    ]
}
