import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("One-time codes under attack, and codes that cross, SPEC §25.7, §25.8")
struct CodeAttackTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    @Test("A relay between two links that forwards everything is found by the presenter, R25.5-3", arguments: roles)
    func relayed(typist: LinkRole) throws {
        let (one, other) = (try Pairings.duel(honest: typist), try Pairings.duel(honest: typist.peer, isLesser: false))
        try one.give()
        try other.evil.send(WireBytes.frame(.codeBegin, try #require(one.evil.payloads(of: .codeBegin).first)))
        try other.exchange()
        try other.present()
        try one.evil.send(WireBytes.frame(.codeAnswer, try #require(other.evil.payloads(of: .codeAnswer).first)))
        try one.exchange()
        #expect(one.told == [.codeBurned(.typist)])
        try other.evil.send(WireBytes.frame(.codeConfirm, try #require(one.evil.payloads(of: .codeConfirm).first)))
        try other.exchange()
        expectFailure(other, .verification(.codeWrong), at: .pairing, told: .codeWrong)
        #expect(other.told == [.codeBurned(.presenter)])
        // It has nothing for the typist.
        try one.evil.send(CodeConfirm(confirmation: [UInt8](repeating: 0, count: 32)))
        try one.exchange()
        expectFailure(one, .verification(.codeWrong), at: .pairing, told: .codeWrong)
    }

    @Test("A typist that gets its own frames back fails, R25.5-3", arguments: roles)
    func reflected(typist: LinkRole) throws {
        let duel = try Pairings.duel(honest: typist)
        try duel.give()
        let share = Array(try #require(duel.evil.payloads(of: .codeBegin).first).prefix(32))
        try duel.evil.send(CodeAnswer(share: share))
        try duel.exchange()
        try duel.evil.send(CodeConfirm(confirmation: try #require(duel.confirmation)))
        try duel.exchange()
        expectFailure(duel, .verification(.codeWrong), at: .pairing, told: .codeWrong)
    }

    @Test("A share that is no element is malformed when it is used, R25.5-2")
    func badShare() throws {
        let shares = [[UInt8](repeating: 0, count: 32), [UInt8](repeating: 0xFF, count: 32)]
        for share in shares {
            let asked = try Pairings.duel(honest: .responder)
            try Duels.poke(asked, CodeBegin(share: share, number: 4).encoded())
            try asked.present()
            expectFailure(asked, malformed(.valueOutOfRange, .share), at: .pairing, told: .malformed)
            #expect(asked.told.isEmpty)
            let none = try Pairings.duel(honest: .responder)
            try Duels.poke(none, CodeBegin(share: share, number: 4).encoded())
            try none.present(nil)
            expectFailure(none, .verification(.codeUnavailable), at: .pairing, told: .codeUnavailable)
            let typist = try Pairings.duel(honest: .initiator)
            try typist.give()
            try Duels.poke(typist, CodeAnswer(share: share).encoded())
            expectFailure(typist, malformed(.valueOutOfRange, .share), at: .pairing, told: .malformed)
            #expect(typist.told.isEmpty, "no guess was made")
        }
    }

    // MARK: Crossing

    @Test("Two honest peers that type at once: the lesser key's attempt wins, R25.7-2", arguments: roles)
    func bothType(lesser: LinkRole) throws {
        let (less, great) = try Peers.seedsByKey()
        var script = SimulatedPeer.Script()
        script.shownCode = PresentedCode(Pairings.code)
        var pair = try Peers.pair(
            invitation: nil, initiatorScript: script, responderScript: script,
            adjustInitiator: { $0.identity = try! Peers.identity(lesser == .initiator ? less : great) },
            adjustResponder: { $0.identity = try! Peers.identity(lesser == .responder ? less : great) })
        pair.run()
        for role in Self.roles {
            let code = role == lesser ? Pairings.code : Pairings.typed("7-tulip-orbit")
            try pair.act(role) { (link, now) throws(RequestError) in try link.giveCode(code, at: now) }
        }
        pair.run()
        #expect(pair.verifications(of: lesser) == [.codeBurned(.typist), .codeVerified(.typist)])
        let great2 = pair.verifications(of: lesser.peer)
        #expect(great2.first == .codeVoid)
        #expect(great2.dropFirst(2) == [.codeBurned(.presenter), .codeVerified(.presenter)])
        #expect(pair.stage(of: lesser) == .identified && pair.stage(of: lesser.peer) == .identified)
    }

    @Test("The lesser key ignores CODE_BEGIN once, once decoded, R25.7-2", arguments: roles)
    func lesserIgnores(role: LinkRole) throws {
        let duel = try Pairings.duel(honest: role)
        try duel.give()
        let deadline = duel.deadline
        try duel.advance(by: .seconds(3))
        // Whether its share is an element matters to nobody.
        try Duels.poke(duel, CodeBegin(share: [UInt8](repeating: 0xFF, count: 32), number: 9).encoded())
        #expect(duel.stage == .pairing && duel.told.isEmpty && duel.codeToken == nil && duel.deadline == deadline)
        let presenter = try duel.answerCode()
        try duel.exchange()
        try duel.evil.send(CodeConfirm(confirmation: try presenter.confirm(try #require(duel.confirmation))))
        try duel.exchange()
        #expect(duel.told == [.codeBurned(.typist), .codeVerified(.typist)])
        let malformedOne = try Pairings.duel(honest: role)
        try malformedOne.give()
        try Duels.poke(malformedOne, CodeBegin(share: [UInt8](repeating: 1, count: 32), number: 1_000).encoded())
        expectFailure(malformedOne, malformed(.valueOutOfRange, .codeNumber), at: .pairing, told: .malformed)
    }

    @Test("The greater key answers as in identified, and has another 10 s, R25.7-2, R25.6-8", arguments: roles)
    func greaterAnswers(role: LinkRole) throws {
        for code in [Pairings.code, nil] {
            let duel = try Pairings.duel(honest: role, isLesser: false)
            try duel.give(Pairings.other)
            try duel.advance(by: .seconds(9))
            let typist = try duel.typeCode()
            try duel.exchange()
            #expect(duel.told == [.codeVoid])
            #expect(duel.deadline == duel.now.advanced(by: .seconds(10)))
            try duel.present(code)
            guard code != nil else {
                expectFailure(duel, .verification(.codeUnavailable), at: .pairing, told: .codeUnavailable)
                continue
            }
            let confirming = try typist.receive(try #require(duel.answer))
            try duel.evil.send(CodeConfirm(confirmation: confirming.confirmation))
            try duel.exchange()
            #expect(duel.told == [.codeVoid, .codeBurned(.presenter), .codeVerified(.presenter)])
        }
    }

    @Test(
        "INVITE that crosses CODE_BEGIN is ignored, and a later CANCEL ends the invitation, R25.7-1", arguments: roles
    )
    func inviteCrosses(role: LinkRole) throws {
        let closes: [(code: CloseCode, cause: LinkFailureCause)] = [
            (.codeUnavailable, .peerClosed(.codeUnavailable)), (.noError, .invitation(.withdrawnByPeer)),
        ]
        for (code, cause) in closes {
            let duel = try Pairings.duel(honest: role)
            try duel.give()
            try duel.evil.send(invite: duel.evil.invitation())
            try duel.exchange()
            #expect(duel.stage == .pairing && duel.told.isEmpty && duel.invitationToken == nil)
            if code == .noError { try duel.evil.send(Cancel(.cancelled)) }
            try duel.evil.send(Close(code: code))
            try duel.exchange()
            #expect(duel.failure == LinkFailure(stage: .pairing, cause: cause))
            #expect(duel.told.isEmpty)
        }
        let twice = try Pairings.duel(honest: role)
        try twice.give()
        try twice.evil.send(twice.evil.invitation())
        try twice.evil.send(twice.evil.invitation())
        try twice.exchange()
        expectFailure(twice, unexpected(.invite), at: .pairing, told: .unexpectedFrame)
    }

    @Test("CODE_BEGIN that crosses INVITE is code_unavailable, R25.6-6, R25.7-1", arguments: roles)
    func codeCrossesInvite(role: LinkRole) throws {
        let duel = try Pairings.duel(honest: role)
        try duel.honest.link.invite(OutgoingInvitation(terms: SessionTerms(encryption: .optional)), at: duel.now)
        try duel.exchange()
        _ = try duel.typeCode()
        try duel.exchange()
        expectFailure(duel, .verification(.codeUnavailable), at: .inviting, told: .codeUnavailable)
        #expect(duel.honest.verifications.isEmpty)
    }

    @Test("Two honest peers, one invites and one types: the link closes, and nobody was asked", arguments: roles)
    func honestCrossing(typist: LinkRole) throws {
        var pair = try Pairings.pair(typist: typist)
        try pair.act(typist) { (link, now) throws(RequestError) in try link.giveCode(Pairings.code, at: now) }
        try pair.act(typist.peer) { (link, now) throws(RequestError) in
            try link.invite(OutgoingInvitation(terms: SessionTerms(encryption: .optional)), at: now)
        }
        pair.run()
        #expect(pair.failure(of: typist)?.cause == .peerClosed(.codeUnavailable))
        #expect(pair.failure(of: typist.peer)?.cause == .verification(.codeUnavailable))
        #expect(pair.verifications(of: typist).isEmpty && pair.verifications(of: typist.peer).isEmpty)
    }

    // MARK: The feature

    @Test("A peer that does not list the feature may send none of its frames, R25.6-2", arguments: roles)
    func featureMissingThere(role: LinkRole) throws {
        for type in FrameType.allCases where type.feature == .verification {
            let payloads = [
                try TransitionTableTests.sound(type, by: ScriptedPeer.none(role)), WireBytes.frame(type, [0xFF]),
            ]
            for frame in payloads {
                let duel = try Pairings.duel(honest: role, features: [0x1A1A])
                let isAvailable = duel.honest.link.isVerificationAvailable
                #expect(!isAvailable)
                #expect(throws: RequestError.verificationUnavailable) {
                    try duel.honest.link.giveCode(Pairings.code, at: duel.now)
                }
                #expect(throws: RequestError.verificationUnavailable) {
                    try duel.honest.link.compareStrings(at: duel.now)
                }
                try Duels.poke(duel, frame)
                expectFailure(duel, unexpected(type), at: .identified, told: .unexpectedFrame)
            }
        }
    }

    @Test(
        "For a peer that does not list the feature itself its frames are unsupported, R25.6-2, R6.4-2", arguments: roles
    )
    func featureMissingHere(role: LinkRole) throws {
        for type in FrameType.allCases where type.feature == .verification {
            let duel = try Pairings.duel(honest: role) { $0.offersVerification = false }
            #expect(duel.evil.theirFeatures.isEmpty)
            #expect(throws: RequestError.verificationUnavailable) {
                try duel.honest.link.giveCode(Pairings.code, at: duel.now)
            }
            try Duels.poke(duel, try TransitionTableTests.sound(type, by: duel.evil))
            expectFailure(
                duel, .incompatible(.unsupportedFrame(type.rawValue)), at: .identified, told: .unsupported)
        }
        #expect(try Pairings.duel(honest: role).evil.theirFeatures == [1])
    }

    @Test("Frames of the feature are in ENCRYPTED records, and before PEER_INFO nobody has listed it, R25.6-2")
    func wrongPlace() throws {
        let readable = try Pairings.duel(honest: .responder)
        try Duels.poke(
            readable, StringCommit(commitment: [UInt8](repeating: 1, count: 32)).encoded(), as: .authenticated)
        #expect(readable.evil.closeCode == .wrongProtection)
        let early = try Duels.at(.info, honest: .responder)
        try Duels.poke(early, StringCommit(commitment: [UInt8](repeating: 1, count: 32)).encoded())
        expectFailure(early, unexpected(.stringCommit), at: .info, told: .unexpectedFrame)
    }
}

extension ScriptedPeer {
    /// What the remote peer's PEER_INFO lists.
    fileprivate var theirFeatures: [UInt16] {
        payloads(of: .peerInfo).first.flatMap { try? PeerInfo(payload: $0.span).features } ?? [0xFFFF]
    }

    /// One that makes frames, and is on no link.
    fileprivate static func none(_ role: LinkRole) throws -> ScriptedPeer {
        ScriptedPeer(
            role: role.stream, identity: try Peers.identity(2), crypto: Peers.crypto,
            random: SeededRandomSource(seed: 1))
    }
}
