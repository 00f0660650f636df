import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Answers that come with PEER_INFO, and too late, SPEC §8.2 and R18-2")
struct LateAnswerTests {
    /// An initiator that expects its peer, and invited before it knew its name, for one second.
    private func inviting(_ wait: Duration) throws -> Duel {
        let peer = try Peers.key(2)
        let duel = try Duels.make(honest: .initiator) { $0.expectedPeer = peer }
        let terms = SessionTerms(encryption: .optional)
        try duel.honest.link.invite(OutgoingInvitation(terms: terms, timeout: .seconds(1)), at: duel.now)
        try duel.shakeHands()
        try duel.evil.send(try duel.evil.proof())
        try duel.exchange()
        try duel.advance(by: wait)
        #expect(duel.stage == .info)
        return duel
    }

    private let answer = Accept(preference: .optional, identityKind: .none, outcome: .encrypted).encoded()

    @Test("If PEER_INFO comes when the invitation's time is over, CANCEL is sent, whatever follows")
    func late() throws {
        for isOneRecord in [true, false] {
            let duel = try inviting(.seconds(1))
            let info = duel.evil.peerInfo().encoded()
            try duel.evil.send(isOneRecord ? info + answer : info)
            if !isOneRecord { try duel.evil.send(answer) }
            try duel.exchange()
            #expect(duel.stage == .closing && duel.evil.sentTypes.suffix(2) == [.cancel, .close])
            #expect(duel.evil.payloads(of: .cancel) == [[2, 0]])
            try Duels.poke(duel, Close(code: .noError).encoded())
            #expect(duel.failure == LinkFailure(stage: .inviting, cause: .invitation(.noAnswer)))
        }
    }

    @Test("A moment earlier the answer counts")
    func inTime() throws {
        let duel = try inviting(.milliseconds(999))
        try duel.evil.send(duel.evil.peerInfo().encoded() + answer)
        try duel.exchange()
        #expect(duel.stage == .certificates)
    }
}
