import MultipeerCertificates
import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("A closed link stays closed, SPEC §16")
struct ClosedForGoodTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    /// Everything that an app or a transport can do to a link.
    private static let inputs: [(String, @Sendable (Duel) throws -> Void)] = [
        ("bytes", { duel in duel.honest.link.receive([0x40, 0, 20, 1, 2, 3].span, at: duel.now) }),
        ("the end of the stream", { duel in duel.honest.link.receiveEnd(at: duel.now) }),
        ("time", { duel in duel.honest.link.timeout(at: duel.now.advanced(by: .seconds(3_600))) }),
        ("close", { duel in duel.honest.link.close(at: duel.now) }),
        ("close with a code", { duel in duel.honest.link.close(.shuttingDown, at: duel.now) }),
        (
            "invite",
            { duel in
                #expect(throws: RequestError.wrongStage(.closed)) {
                    try duel.honest.link.invite(
                        OutgoingInvitation(terms: SessionTerms(encryption: .optional)), at: duel.now)
                }
            }
        ),
        (
            "send",
            { duel in
                #expect(throws: RequestError.wrongStage(.closed)) { try duel.honest.link.send([1], at: duel.now) }
            }
        ),
    ]

    @Test("No input reopens it, or makes it send anything more", arguments: roles, Duel.Place.allCases)
    func nothingReopens(role: LinkRole, place: Duel.Place) throws {
        for (name, input) in Self.inputs {
            let duel = try Duels.at(place, honest: role)
            duel.honest.link.receiveEnd(at: duel.now)
            duel.honest.drain(at: duel.now)
            let (end, effects) = (duel.end, duel.effects.count)
            #expect(duel.stage == .closed && end != nil, "\(place)")
            try input(duel)
            duel.honest.drain(at: duel.now)
            #expect(duel.stage == .closed && duel.deadline == nil, "\(name) at \(place)")
            #expect(duel.effects.count == effects && duel.end == end, "\(name) at \(place)")
            #expect(duel.honest.link.isFinished && duel.honest.transmit(at: duel.now).isEmpty, "\(name) at \(place)")
        }
    }

    @Test("While queued messages are still sent, the link reports that it drains", arguments: roles)
    func draining(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        try duel.honest.link.send([1, 2, 3], at: duel.now)
        _ = try duel.honest.link.offerFile(name: "f", size: 3, at: duel.now)
        duel.honest.link.close(at: duel.now)
        #expect(duel.stage == .draining && duel.honest.link.hasOutput && !duel.honest.link.isOutputFinished)
        #expect(throws: RequestError.wrongStage(.draining)) { try duel.honest.link.send([4], at: duel.now) }
        #expect(throws: RequestError.wrongStage(.draining)) {
            _ = try duel.honest.link.offerFile(name: "g", size: 3, at: duel.now)
        }
        try duel.evil.send(WireBytes.message(total: 1, [9]))
        try duel.exchange()
        #expect(duel.stage == .closing && duel.messages == [[9]] && duel.evil.closeCode == .noError)
    }
}

@Suite("Answers under the token of another question, SPEC §10.5")
struct WrongAnswerTests {
    private static let terms = SessionTerms(encryption: .optional)

    @Test("An invitation is not answered by a verdict", arguments: ClosedForGoodTests.roles)
    func verdictOnInvitation(role: LinkRole) throws {
        let duel = try Duels.at(.invited, honest: role)
        let token = try #require(duel.invitationToken)
        #expect(throws: RequestError.staleToken) {
            try duel.honest.link.submitVerdict(.accepted(.application), for: token, at: duel.now)
        }
        #expect(duel.stage == .invited)
        try duel.honest.link.accept(token, with: Self.terms, at: duel.now)
    }

    @Test("A request for a verdict is not answered as an invitation", arguments: ClosedForGoodTests.roles)
    func declineOfVerdict(role: LinkRole) throws {
        let duel = try Duels.at(.certificatesAsked, honest: role)
        let token = try #require(duel.judgementToken)
        #expect(throws: RequestError.staleToken) { try duel.honest.link.decline(token, at: duel.now) }
        #expect(throws: RequestError.staleToken) {
            try duel.honest.link.accept(token, with: Self.terms, at: duel.now)
        }
        #expect(duel.stage == .certificates)
        try duel.honest.link.submitVerdict(.accepted(.application), for: token, at: duel.now)
    }
}

@Suite("Peers that show certificates to a peer that verifies none, SPEC §10")
struct NoVerifierTests {
    @Test("The peer is refused before the app is asked, and both know why", arguments: ClosedForGoodTests.roles)
    func refused(role: LinkRole) throws {
        let shown = SessionTerms(encryption: .required, certificate: try OpenSSL.root.get().leaf(.p256))
        let plain = SessionTerms(encryption: .required)
        let pair = TestPair(
            try Peers.pair(
                invitation: OutgoingInvitation(terms: role == .initiator ? plain : shown),
                responderScript: .init(terms: role == .responder ? plain : shown),
                adjustInitiator: { if role == .initiator { $0.bindingVerifier = nil } },
                adjustResponder: { if role == .responder { $0.bindingVerifier = nil } }))
        pair.pair.run()
        let cause = LinkFailureCause.certificate(.verifierMissing)
        #expect(pair.failure(of: role) == LinkFailure(stage: .certificates, cause: cause))
        #expect(pair.failure(of: role.peer)?.cause == .peerClosed(.certificateRejected))
        #expect(CertificateTests.evidence(pair.effects(of: role)) == nil)
    }

    @Test("A peer without a certificate needs no verifier")
    func notNeeded() throws {
        let pair = TestPair(
            try Peers.pair(
                adjustInitiator: { $0.bindingVerifier = nil }, adjustResponder: { $0.bindingVerifier = nil }))
        pair.pair.run()
        #expect(pair.summaries.initiator != nil && pair.summaries.responder != nil)
    }
}
