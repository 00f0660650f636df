import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Invitations before the peer's name is known, SPEC §8.2, §17")
struct EarlyInvitationTests {
    @Test(
        "INVITE of an initiator that expects its peer does not wait for the name; a responder's does, R8.2-6",
        arguments: InvitationTests.roles)
    func inInfo(role: LinkRole) throws {
        let duel = try Duels.at(.info, honest: role, adjust: Self.expectingPeer)
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

    @Test("If the name comes when the invitation's time is over, CANCEL is sent at once, R8.2-4, R18-2")
    func lateName() throws {
        let duel = try Duels.at(.info, honest: .initiator, adjust: Self.expectingPeer)
        try duel.honest.link.invite(
            OutgoingInvitation(terms: InvitationTests.optional, timeout: .seconds(1)), at: duel.now)
        try duel.advance(by: .seconds(1))
        let accept = Accept(preference: .optional, identityKind: .none, outcome: .encrypted)
        try duel.evil.send(duel.evil.peerInfo().encoded() + accept.encoded())
        try duel.exchange()
        #expect(duel.evil.payloads(of: .cancel) == [[2, 0]] && duel.stage == .closing)
        try duel.evil.send(Close(code: .noError))
        try duel.exchange()
        #expect(duel.cause == .invitation(.noAnswer))
        expectSoundEnd(duel)
    }

    /// Where an app may invite, and its invitation has to wait.
    static let waiting: [(Duel.Place, LinkRole)] = [
        (.hello, .initiator), (.hello, .responder), (.proof, .initiator), (.proof, .responder), (.info, .initiator),
        (.info, .responder),
    ]

    /// The peer of ``Duels/at(_:honest:preference:script:adjust:)`` has the greater key.
    static func expectingPeer(_ configuration: inout LinkConfiguration) {
        guard let seeds = try? Peers.seedsByKey() else { return }
        configuration.expectedPeer = try? Peers.key(seeds.greater)
    }

    @Test("An invitation that waits for the peer's name and is cancelled is never sent", arguments: waiting)
    func cancelledWhileItWaits(place: Duel.Place, role: LinkRole) throws {
        let duel = try Duels.at(place, honest: role)
        let stage = duel.stage
        try duel.honest.link.invite(OutgoingInvitation(terms: InvitationTests.optional), at: duel.now)
        try duel.exchange()
        try duel.honest.link.cancelInvitation(at: duel.now)
        #expect(throws: RequestError.wrongStage(duel.stage)) { try duel.honest.link.cancelInvitation(at: duel.now) }
        try duel.exchange()
        try expectNeverInvited(duel, at: stage)
    }

    @Test(
        "An INVITE that waits for the transport and is cancelled is never sent",
        arguments: [(Duel.Place.info, LinkRole.initiator), (.identified, .initiator), (.identified, .responder)])
    func cancelledInTheOutbox(place: Duel.Place, role: LinkRole) throws {
        for byClosing in [false, true] {
            let duel = try Duels.at(place, honest: role, adjust: Self.expectingPeer)
            try duel.honest.link.invite(OutgoingInvitation(terms: InvitationTests.optional), at: duel.now)
            let stage = duel.stage
            if byClosing {
                duel.honest.link.close(at: duel.now)
            } else {
                try duel.honest.link.cancelInvitation(at: duel.now)
            }
            try duel.exchange()
            try expectNeverInvited(duel, at: stage)
        }
    }

    @Test("A failed link has no invitation to cancel", arguments: InvitationTests.roles)
    func cancelledTooLate(role: LinkRole) throws {
        let duel = try Duels.at(.proof, honest: role)
        try duel.honest.link.invite(OutgoingInvitation(terms: InvitationTests.optional), at: duel.now)
        try Duels.poke(duel, WireBytes.frame(.ready, []))
        #expect(duel.failure?.cause == unexpected(.ready))
        #expect(throws: RequestError.wrongStage(duel.stage)) { try duel.honest.link.cancelInvitation(at: duel.now) }
    }

    private func expectNeverInvited(_ duel: Duel, at stage: LinkStage) throws {
        #expect(duel.failure == LinkFailure(stage: stage, cause: .invitation(.withdrawn)))
        #expect(duel.evil.payloads(of: .invite).isEmpty && duel.evil.payloads(of: .cancel).isEmpty)
        // Before there are keys, nobody can be notified.
        if stage != .hello { #expect(duel.evil.closeCode == .noError) }
        expectSoundEnd(duel)
    }
}
