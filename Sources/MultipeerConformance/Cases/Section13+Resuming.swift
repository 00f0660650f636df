import MultipeerScriptedPeer
import MultipeerWire

/// RESUME to a peer that knows no such association (SPEC §13.9). It has to judge it whether or not it keeps associations.
extension Section13 {
    private static let association = [UInt8](repeating: 1, count: 16)
    private static let proof = [UInt8](repeating: 2, count: 32)

    private static func resume(_ said: [UInt8] = [0, 0, 0, 0], proof: [UInt8] = proof) -> [UInt8] {
        WireBytes.frame(.resume, association + said + proof)
    }

    private static func declined(
        _ topic: String, _ title: String, _ requirements: String, peer invitations: PeerProfile.Invitations,
        _ frame: [UInt8]
    ) -> ConformanceCase {
        ConformanceCase(
            "13.9-\(topic)", title, requirements, expects: "DECLINE with reason 6, CLOSE no_error",
            tester: .initiator, peer: invitations
        ) { (play: Play) throws(Interruption) -> Evidence in
            try play.reach(.identified)
            if invitations == .invites { try play.awaitInvite() }
            try play.peer.send(frame)
            _ = try play.expectDecline(6)
            return Evidence("DECLINE with reason 6, CLOSE no_error")
        }
    }

    private static func faulty(
        _ topic: String, _ title: String, _ requirements: String, _ frame: [UInt8], code: CloseCode = .malformed
    ) -> ConformanceCase {
        .poke(
            "13.9-\(topic)", "RESUME \(title)", requirements, at: .identified, code, forbidding: [.decline, .resumed],
            tester: .initiator, peer: .accepts, frame)
    }

    static let resuming: [ConformanceCase] = [
        declined("unknown", "RESUME for an association that nobody has", "R13.9-5", peer: .accepts, resume()),
        declined(
            "unknown-epoch", "RESUME for an association that nobody has, with a great epoch and files", "R13.9-5",
            peer: .accepts, resume(WireBytes.varint(1 << 60) + [5] + WireBytes.vector([1, 2, 3, 4]) + [0])),
        declined(
            "unknown-invited", "RESUME in answer to the peer's INVITE, which is void then", "R13.9-5 R13.9-7",
            peer: .invites, resume()),
        faulty("proof-short", "with 31 bytes of proof", "R3.3-1", resume(proof: Array(proof.dropLast()))),
        faulty("proof-long", "with 33 bytes of proof", "R3.3-2", resume(proof: proof + [0])),
        faulty(
            "files-descending", "whose files are not in ascending order", "R13.9-9",
            resume([0, 0] + WireBytes.vector([3, 0, 1, 0]) + [0])),
        faulty(
            "even-field", "with an unknown field of even type", "R3.4-3",
            resume([0, 0, 0] + WireBytes.vector(WireBytes.evenField)), code: .unsupported),
        .poke(
            "13.9-at-initiator", "RESUME at an initiator", "R13.9-4", at: .identified, .unexpectedFrame,
            tester: .responder, resume()),
        .poke(
            "13.9-resumed", "RESUMED that nobody asked for", "R13.9-6", at: .identified, .unexpectedFrame,
            WireBytes.frame(.resumed, [0, 0, 0] + proof)),
    ]
}
