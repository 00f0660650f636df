import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Invitations before the peer's name is known, SPEC §8.2, §17")
struct EarlyInvitationTests {
    @Test(
        "An initiator's INVITE does not wait for the peer's name; a responder's does, SPEC §17",
        arguments: InvitationTests.roles)
    func inInfo(role: LinkRole) throws {
        let duel = try Duels.at(.info, honest: role)
        try duel.honest.link.invite(OutgoingInvitation(terms: InvitationTests.optional), at: duel.now)
        try duel.exchange()
        #expect(duel.stage == .info && duel.evil.payloads(of: .invite).count == (role == .initiator ? 1 : 0))
        #expect(throws: RequestError.wrongStage(.info)) {
            try duel.honest.link.invite(OutgoingInvitation(terms: InvitationTests.optional), at: duel.now)
        }
        try duel.evil.send(duel.evil.peerInfo())
        try duel.exchange()
        #expect(duel.stage == .inviting && duel.evil.payloads(of: .invite).count == 1)
    }

    @Test("The name comes when the invitation's time is over: CANCEL at once, whatever else came, R8.2-4, R18-2")
    func lateName() throws {
        let duel = try Duels.at(.info, honest: .initiator)
        try duel.honest.link.invite(
            OutgoingInvitation(terms: InvitationTests.optional, timeout: .seconds(1)), at: duel.now)
        try duel.advance(by: .seconds(1))
        let accept = Accept(preference: .optional, identityKind: .none, outcome: .encrypted)
        try duel.evil.send(duel.evil.peerInfo().encoded() + accept.encoded())
        try duel.exchange()
        #expect(duel.evil.payloads(of: .cancel) == [[2]] && duel.stage == .closing)
        try duel.evil.send(Close(code: .noError))
        try duel.exchange()
        #expect(duel.cause == .invitation(.noAnswer))
        expectSoundEnd(duel)
    }
}
