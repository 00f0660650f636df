import MultipeerCrypto
import MultipeerRules
import MultipeerScriptedPeer
import MultipeerWire

/// Peer info and invitations.
enum Section8 {
    static let cases: [ConformanceCase] =
        peerInfo + invite + sessionKinds + accept + unanswered + decline + cancel + crossing

    private static let peerInfo: [ConformanceCase] = [
        .poke("8.1-maximum-too-large", "maximumMessage 2^32", "R8.1-2", at: .proved, .malformed) { _ in
            WireBytes.peerInfo(maximumMessage: 1 << 32)
        },
        .pass("8.1-maximum-largest", "maximumMessage 2^32 - 1", "R8.1-2", at: .proved) { _ in
            WireBytes.peerInfo(maximumMessage: 1 << 32 - 1)
        },
        .pass("8.1-maximum-smallest", "maximumMessage 1", "R8.1-2", at: .proved) { _ in
            WireBytes.peerInfo(maximumMessage: 1)
        },
        .pass("8.1-features", "Features that nobody knows, GREASE among them", "R8.1-4", at: .proved) { _ in
            WireBytes.peerInfo(features: [0x1A1A, 0x4F01, 0xFF80])
        },
        .pass("8.1-no-name", "A display name that the tester shows to others only", "R8.1-6", at: .proved) { _ in
            WireBytes.peerInfo(name: [])
        },
        .poke("8.1-twice", "PEER_INFO twice", "R8.1-1", at: .identified, .unexpectedFrame) { _ in WireBytes.peerInfo()
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
        goodInvite("longest-context", "with a context of 16,384 bytes", "R8.2-1") {
            $0.context = [UInt8](repeating: 0x63, count: 16_384)
        },
        goodInvite("longest-timeout", "with timeout 600,000", "R8.2-1") { $0.timeout = 600_000 },
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

    private static func declined(_ ending: InvitationRules.Ending) -> ConformanceCase {
        ConformanceCase(
            ending.id, "DECLINE with reason \(ending.reason)\(ending.detail.isEmpty ? "" : " and a detail")",
            "R8.4-1 R8.4-3", expects: "CLOSE no_error, then the end of the stream", peer: .invites
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            try play.awaitInvite()
            try play.peer.send(WireBytes.decline(ending.reason, detail: ending.detail))
            // A link that ended in good order is told from one that continues by the tester's saying nothing more.
            return try play.expectClose(.noError, probing: false, forbidding: [.certificates])
        }
    }

    private static let decline: [ConformanceCase] = InvitationRules.declines.map(declined)
}
