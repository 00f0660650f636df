import MultipeerScriptedPeer
import MultipeerWire

/// RESUME to a peer that knows no such association (SPEC §13.9). It has to judge it whether or not it keeps associations.
extension Section13 {
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

    static let resuming: [ConformanceCase] = [
        declined("unknown", "RESUME for an association that nobody has", "R13.9-5", peer: .accepts, WireBytes.resume()),
        declined(
            "unknown-epoch", "RESUME for an association that nobody has, with a great epoch and files", "R13.9-5",
            peer: .accepts, WireBytes.resume(WireBytes.varint(1 << 60) + [5] + WireBytes.vector([1, 2, 3, 4]) + [0])),
        declined(
            "unknown-invited", "RESUME in answer to the peer's INVITE, which is void then", "R13.9-5 R13.9-7",
            peer: .invites, WireBytes.resume()),
        .poke(
            "13.9-at-initiator", "RESUME at an initiator", "R13.9-4", at: .identified, .unexpectedFrame,
            tester: .responder, WireBytes.resume()),
    ]
}
