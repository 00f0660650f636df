import MultipeerCertificates
import MultipeerCore
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Verdicts and READY, SPEC §10.5")
struct VerdictTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    @Test("A missing verdict is a rejection, by its name for both peers, R10.5-1", arguments: roles)
    func dropped(role: LinkRole) throws {
        let pair = TestPair(
            try Peers.pair(
                initiatorScript: .init(verdict: role == .initiator ? nil : .accepted(.unverified)),
                responderScript: .init(verdict: role == .responder ? nil : .accepted(.unverified))))
        pair.pair.run()
        pair.pair.advance(by: .seconds(60))
        #expect(pair.failure(of: role) == LinkFailure(stage: .certificates, cause: .certificate(.verdictTimeout)))
        #expect(pair.failure(of: role.peer)?.stage == .certificates)
        #expect(pair.summaries.initiator == nil && pair.summaries.responder == nil)
    }

    @Test(
        "A verdict that is repeated, late, for another question or after the end changes nothing, R10.5-1",
        arguments: roles)
    func uselessVerdicts(role: LinkRole) throws {
        for second in [Verdict.accepted(.application), .rejected(.refusedByApplication)] {
            let duel = try Duels.at(.certificatesAccepted, honest: role)
            let token = try #require(duel.judgementToken)
            #expect(throws: RequestError.staleToken) {
                try duel.honest.link.submitVerdict(second, for: token, at: duel.now)
            }
            try duel.exchange()
            #expect(duel.stage == .certificates && duel.evil.payloads(of: .ready).count == 1)
            try Duels.poke(duel, Ready().encoded())
            #expect(duel.stage == .open && duel.honest.summary?.trust == .unverified)
            #expect(throws: RequestError.staleToken) {
                try duel.honest.link.submitVerdict(second, for: token, at: duel.now)
            }
            #expect(duel.stage == .open)
        }
        // At the deadline, before the timer fired, and after it.
        for delay in [Duration.seconds(60), .seconds(61)] {
            let duel = try Duels.at(.certificatesNoted, honest: role)
            let token = try #require(duel.judgementToken)
            let late = duel.now.advanced(by: delay)
            #expect(throws: RequestError.staleToken) {
                try duel.honest.link.submitVerdict(.accepted(.application), for: token, at: late)
            }
            try duel.exchange()
            expectFailure(duel, .certificate(.verdictTimeout), at: .certificates, told: .verdictTimeout)
            #expect(duel.evil.payloads(of: .ready).isEmpty && duel.honest.summary == nil)
        }
        let closed = try Duels.at(.certificatesAsked, honest: role)
        let token = try #require(closed.judgementToken)
        closed.honest.link.close(at: closed.now)
        #expect(throws: RequestError.staleToken) {
            try closed.honest.link.submitVerdict(.accepted(.application), for: token, at: closed.now)
        }
        let wrong = try Duels.at(.certificatesAsked, honest: role)
        let foreign = try #require(try Duels.at(.invited, honest: role).invitationToken)
        #expect(throws: RequestError.staleToken) {
            try wrong.honest.link.submitVerdict(.accepted(.application), for: foreign, at: wrong.now)
        }
        #expect(wrong.stage == .certificates)
    }

    @Test("Every rejection has a code of 0x10 to 0x15, and its meaning at the remote peer, R10.5-2")
    func rejectionCodes() throws {
        let codes: [(CertificateRejection, CloseCode)] = [
            (.missing, .certificateRequired), (.malformed, .bindingInvalid), (.unsupportedKey, .bindingInvalid),
            (.weakKey, .bindingInvalid), (.bindingInvalid, .bindingInvalid), (.expired, .certificateExpired),
            (.notYetValid, .certificateExpired), (.unknownAuthority, .unknownAuthority),
            (.invalidSignature, .certificateRejected), (.weakSignature, .certificateRejected),
            (.unsupportedVersion, .certificateRejected), (.unknownCriticalExtension, .certificateRejected),
            (.leafIsAuthority, .certificateRejected), (.notAnAuthority, .certificateRejected),
            (.pathTooLong, .certificateRejected), (.nameConstraint, .certificateRejected),
            (.keyUsage, .certificateRejected), (.extendedKeyUsage, .certificateRejected),
            (.nameMismatch, .certificateRejected), (.nameHidden, .certificateRejected),
            (.profileViolation, .certificateRejected),
            (.pinMismatch, .certificateRejected), (.identityChanged, .certificateRejected),
            (.refusedByApplication, .certificateRejected), (.storeUnavailable, .certificateRejected),
            (.similarName, .certificateRejected), (.addressChanged, .certificateRejected),
            (.tooManyFirstUses, .certificateRejected), (.storeFull, .certificateRejected),
            (.verdictTimeout, .verdictTimeout),
        ]
        for (rejection, code) in codes {
            #expect((0x10...0x15).contains(code.rawValue))
            let pair = TestPair(try Peers.pair(initiatorScript: .init(verdict: .rejected(rejection))))
            pair.pair.run()
            #expect(pair.failures.initiator == LinkFailure(stage: .certificates, cause: .certificate(rejection)))
            #expect(pair.failures.responder == LinkFailure(stage: .certificates, cause: .peerClosed(code)))
        }
    }

    @Test("READY early, twice or with a payload, R10.5-4", arguments: roles)
    func ready(role: LinkRole) throws {
        for place in [
            Duel.Place.invited, .inviting, .certificatesInvitee, .certificatesInviter, .certificatesNoted, .open,
        ] {
            let duel = try Duels.at(place, honest: role)
            let stage = duel.stage
            try Duels.poke(duel, Ready().encoded())
            expectFailure(duel, unexpected(.ready), at: stage, told: .unexpectedFrame)
        }
        for place in [Duel.Place.certificatesAsked, .certificatesAccepted] {
            let duel = try Duels.at(place, honest: role)
            try Duels.poke(duel, WireBytes.frame(.ready, [0, 0]))
            expectFailure(duel, malformed(.trailingBytes, .framePayload), at: .certificates, told: .malformed)
        }
    }

    @Test("Payload and FILE frames before the peer's READY or the local one, R10.5-3", arguments: roles)
    func earlyPayload(role: LinkRole) throws {
        for place in [Duel.Place.certificatesAsked, .certificatesNoted, .certificatesAccepted] {
            for type in FrameType.allCases where type.rawValue >= 0x40 && type != .datagrams {
                let duel = try Duels.at(place, honest: role)
                try Duels.poke(duel, try TransitionTableTests.sound(type, by: duel.evil))
                expectFailure(duel, unexpected(type), at: .certificates, told: .unexpectedFrame)
                #expect(duel.messages.isEmpty)
            }
        }
    }

    @Test("No app data is sent before both are ready, R10.5-3", arguments: roles)
    func nothingBeforeReady(role: LinkRole) throws {
        let duel = try Duels.at(.certificatesAccepted, honest: role)
        #expect(duel.honest.summary == nil)
        #expect(throws: RequestError.wrongStage(.certificates)) { try duel.honest.link.send([1], at: duel.now) }
        try Duels.poke(duel, Ready().encoded() + WireBytes.message(total: 1, [5]))
        #expect(duel.messages == [[5]] && duel.honest.summary?.charter == duel.evil.ownCharter)
    }
}
