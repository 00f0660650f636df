import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("One-time codes on a link, SPEC §25.5 to §25.7")
struct CodeAttemptTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    // MARK: Honest peers

    @Test(
        "Both have the code: both keys are verified, and the link is in identified with a new deadline",
        arguments: roles)
    func honest(typist: LinkRole) throws {
        var pair = try Pairings.pair(typist: typist)
        pair.advance(by: .seconds(50))
        try pair.act(typist) { (link, now) throws(RequestError) in try link.giveCode(Pairings.code, at: now) }
        pair.run()
        #expect(pair.verifications(of: typist) == [.codeBurned(.typist), .codeVerified(.typist)])
        #expect(
            pair.verifications(of: typist.peer).dropFirst() == [.codeBurned(.presenter), .codeVerified(.presenter)])
        for role in Self.roles {
            #expect(pair.stage(of: role) == .identified)
            #expect(pair.deadline(of: role) == pair.now.advanced(by: .seconds(60)))
        }
        // An invitation follows as on any link.
        try pair.act(typist) { (link, now) throws(RequestError) in
            try link.invite(OutgoingInvitation(terms: SessionTerms(encryption: .optional)), at: now)
        }
        pair.run()
        #expect(pair.stage(of: typist) == .open && pair.stage(of: typist.peer) == .open)
    }

    @Test("An invitation that the app requests in pairing waits until the code was right, R17-1", arguments: roles)
    func invitationWaits(typist: LinkRole) throws {
        for inviter in Self.roles {
            var pair = try Pairings.pair(typist: typist)
            try pair.act(typist) { (link, now) throws(RequestError) in try link.giveCode(Pairings.code, at: now) }
            if inviter == typist.peer { pair.run(rounds: 1) }
            try pair.act(inviter) { (link, now) throws(RequestError) in
                #expect(link.stage == .pairing)
                try link.invite(OutgoingInvitation(terms: SessionTerms(encryption: .optional)), at: now)
                #expect(throws: RequestError.wrongStage(.pairing)) {
                    try link.invite(OutgoingInvitation(terms: SessionTerms(encryption: .optional)), at: now)
                }
            }
            pair.run()
            #expect(pair.stage(of: typist) == .open && pair.stage(of: typist.peer) == .open)
            #expect(pair.verifications(of: typist).contains(.codeVerified(.typist)))
        }
    }

    @Test("A wrong code is burned for both and verifies nobody, R25.5-3, R25.5-5, R25.5-6", arguments: roles)
    func wrongCode(typist: LinkRole) throws {
        var pair = try Pairings.pair(typist: typist, shown: Pairings.other)
        try pair.act(typist) { (link, now) throws(RequestError) in
            try link.giveCode(Pairings.code, at: now)
            try link.invite(OutgoingInvitation(terms: SessionTerms(encryption: .optional)), at: now)
        }
        pair.run()
        #expect(pair.verifications(of: typist) == [.codeBurned(.typist)])
        #expect(pair.verifications(of: typist.peer).dropFirst() == [.codeBurned(.presenter)])
        #expect(
            pair.failure(of: typist.peer) == LinkFailure(stage: .pairing, cause: .verification(.codeWrong)))
        #expect(pair.failure(of: typist) == LinkFailure(stage: .pairing, cause: .peerClosed(.codeWrong)))
        let presenter = typist == .initiator ? pair.responder.effects.count : pair.initiator.effects.count
        // Nothing of the invitation was sent (SPEC §25.7): nobody was asked.
        #expect(presenter == 4, "identified, codeWanted, codeBurned, closed")
    }

    // MARK: The presenter

    @Test("No code, or another number, is code_unavailable, and nothing is burned, R25.6-6", arguments: roles)
    func unavailable(presenter: LinkRole) throws {
        for code in [nil, Pairings.typed("5-tulip-orbit")] {
            let duel = try Pairings.duel(honest: presenter)
            _ = try duel.typeCode()
            try duel.exchange()
            #expect(duel.honest.verifications == [.codeWanted(try #require(duel.codeToken), number: 4)])
            try duel.present(code)
            expectFailure(duel, .verification(.codeUnavailable), at: .pairing, told: .codeUnavailable)
            #expect(duel.told.isEmpty)
        }
    }

    @Test(
        "A presenter burns its code at CODE_CONFIRM, before it checks it, and sends none for a wrong one, R25.5-4, R25.5-5"
    )
    func presenterBurnsFirst() throws {
        for payload in [[UInt8](repeating: 7, count: 32) + [0], [UInt8](repeating: 7, count: 31), []] {
            let duel = try Pairings.duel(honest: .responder)
            let typist = try duel.typeCode()
            try duel.exchange()
            try duel.present()
            #expect(duel.told.isEmpty && duel.stage == .pairing)
            _ = try typist.receive(try #require(duel.answer))
            try Duels.poke(duel, WireBytes.frame(.codeConfirm, payload))
            #expect(duel.told == [.codeBurned(.presenter)])
            let isWhole = payload.count == 33
            #expect(duel.evil.closeCode == (isWhole ? .codeWrong : .malformed))
            #expect(duel.evil.payloads(of: .codeConfirm).isEmpty)
            expectSoundEnd(duel)
        }
    }

    @Test("A typist of the code gets the presenter's confirmation for its own", arguments: roles)
    func scriptedTypist(presenter: LinkRole) throws {
        let duel = try Pairings.duel(honest: presenter)
        let typist = try duel.typeCode()
        try duel.exchange()
        try duel.present()
        let confirming = try typist.receive(try #require(duel.answer))
        try duel.evil.send(CodeConfirm(confirmation: confirming.confirmation))
        try duel.exchange()
        #expect(duel.told == [.codeBurned(.presenter), .codeVerified(.presenter)])
        try confirming.finish(try #require(duel.confirmation))
        #expect(duel.stage == .identified)
    }

    @Test("Frames after CODE_BEGIN are judged after the answer, as if it had been sent at once, R25.5-5, R25.7-1")
    func followers() throws {
        let confirm = CodeConfirm(confirmation: [UInt8](repeating: 1, count: 32)).encoded()
        let cases: [([UInt8], OneTimeCode?, LinkFailureCause, Bool)] = [
            (confirm, Pairings.code, .verification(.codeWrong), true),
            (confirm, nil, .verification(.codeUnavailable), false),
            (WireBytes.frame(.codeConfirm), Pairings.code, malformed(.truncated, .codeConfirmation), true),
            (Ready().encoded(), Pairings.code, unexpected(.ready), false),
            (Ready().encoded() + confirm, Pairings.code, unexpected(.ready), false),
            (Ready().encoded(), nil, .verification(.codeUnavailable), false),
        ]
        for (follower, code, cause, isBurned) in cases {
            let duel = try Pairings.duel(honest: .responder)
            _ = try duel.typeCode()
            try duel.evil.send(follower)
            try duel.exchange()
            #expect(duel.stage == .pairing && duel.end == nil)
            try duel.present(code)
            #expect(duel.failure == LinkFailure(stage: .pairing, cause: cause))
            #expect(duel.told == (isBurned ? [.codeBurned(.presenter)] : []))
            #expect(duel.evil.payloads(of: .codeAnswer).count == (code == nil ? 0 : 1))
            expectSoundEnd(duel)
        }
    }

    // MARK: The typist

    @Test("A typist burns its code before it sends CODE_CONFIRM, R25.5-6", arguments: roles)
    func typistBurnsFirst(typist: LinkRole) throws {
        let duel = try Pairings.duel(honest: typist)
        try duel.give()
        _ = try duel.answerCode()
        let bytes = duel.evil.flush()
        #expect(duel.told.isEmpty)
        duel.honest.link.receive(bytes.span, at: duel.now)
        // The app knows while the frame still waits.
        duel.honest.drain(at: duel.now)
        #expect(duel.told == [.codeBurned(.typist)])
        #expect(duel.evil.payloads(of: .codeConfirm).isEmpty)
        try duel.exchange()
        #expect(duel.evil.payloads(of: .codeConfirm).count == 1)
    }

    @Test("Nothing is burned if the link ends before CODE_ANSWER, or before CODE_CONFIRM, R25.6-8")
    func nothingBurned() throws {
        let typist = try Pairings.duel(honest: .initiator)
        try typist.give()
        try typist.cut()
        #expect(typist.told.isEmpty && typist.cause == .truncated)
        let presenter = try Pairings.duel(honest: .initiator)
        _ = try presenter.typeCode()
        try presenter.exchange()
        try presenter.present()
        try presenter.evil.send(Close(code: .noError))
        try presenter.exchange()
        #expect(presenter.told.isEmpty && presenter.cause == .peerClosed(.noError))
    }

    @Test("A presenter with another code fails, R25.5-3", arguments: roles)
    func scriptedPresenter(typist: LinkRole) throws {
        for code in [Pairings.code, Pairings.other] {
            let duel = try Pairings.duel(honest: typist)
            try duel.give()
            let presenter = try duel.answerCode(code)
            try duel.exchange()
            let received = try #require(duel.confirmation)
            guard code == Pairings.code else {
                let own = try? presenter.confirm(received)
                #expect(own == nil)
                // It has to guess.
                try duel.evil.send(CodeConfirm(confirmation: received))
                try duel.exchange()
                expectFailure(duel, .verification(.codeWrong), at: .pairing, told: .codeWrong)
                #expect(duel.told == [.codeBurned(.typist)])
                continue
            }
            try duel.evil.send(CodeConfirm(confirmation: try presenter.confirm(received)))
            try duel.exchange()
            #expect(duel.told == [.codeBurned(.typist), .codeVerified(.typist)])
            #expect(duel.stage == .identified)
        }
    }

    // MARK: Limits

    @Test("Each peer gives an attempt 10 s from CODE_BEGIN, R25.6-8", arguments: roles)
    func deadlines(role: LinkRole) throws {
        for step in 0..<4 {
            let duel = try Pairings.duel(honest: role)
            if step == 0 || step == 1 {
                try duel.give()
                try duel.advance(by: .seconds(9))
                if step == 1 {
                    _ = try duel.answerCode()
                    try duel.exchange()
                }
            } else {
                _ = try duel.typeCode()
                try duel.exchange()
                try duel.advance(by: .seconds(9))
                if step == 3 { try duel.present() }
            }
            #expect(duel.stage == .pairing && duel.deadline == duel.now.advanced(by: .seconds(1)))
            try duel.advance(by: .seconds(1))
            expectFailure(duel, .timedOut, at: .pairing, told: .handshakeTimeout)
            #expect(duel.told == (step == 1 ? [.codeBurned(.typist)] : []))
        }
    }

    @Test("A link carries one attempt, of either peer, R25.6-7", arguments: roles)
    func oneAttempt(role: LinkRole) throws {
        for isTypist in [true, false] {
            let duel = try Pairings.duel(honest: role)
            if isTypist {
                try duel.give()
                let presenter = try duel.answerCode()
                try duel.exchange()
                try duel.evil.send(CodeConfirm(confirmation: try presenter.confirm(try #require(duel.confirmation))))
            } else {
                let typist = try duel.typeCode()
                try duel.exchange()
                try duel.present()
                let confirming = try typist.receive(try #require(duel.answer))
                try duel.evil.send(CodeConfirm(confirmation: confirming.confirmation))
            }
            try duel.exchange()
            #expect(duel.stage == .identified)
            #expect(throws: RequestError.codeTriedBefore) { try duel.honest.link.giveCode(Pairings.code, at: duel.now) }
            _ = try duel.typeCode()
            try duel.exchange()
            expectFailure(duel, unexpected(.codeBegin), at: .identified, told: .unexpectedFrame)
        }
    }

    @Test("A code that comes when the link has closed is late, and its deadline acts first, R18-2", arguments: roles)
    func lateCode(role: LinkRole) throws {
        let duel = try Pairings.duel(honest: role)
        _ = try duel.typeCode()
        try duel.exchange()
        let token = try #require(duel.codeToken)
        duel.honest.link.close(at: duel.now)
        #expect(throws: RequestError.staleToken) {
            try duel.honest.link.answerCode(token, with: PresentedCode(Pairings.code), at: duel.now)
        }
        let deadline = try #require(duel.deadline)
        #expect(duel.stage == .closing)
        #expect(throws: RequestError.staleToken) {
            try duel.honest.link.answerCode(token, with: PresentedCode(Pairings.code), at: deadline)
        }
        #expect(duel.stage == .closed)
    }

    @Test("A code is given in identified only, and answered once", arguments: roles)
    func requests(role: LinkRole) throws {
        for place in [Duel.Place.proof, .info] {
            let early = try Duels.at(place, honest: role)
            #expect(throws: RequestError.wrongStage(early.stage)) {
                try early.honest.link.giveCode(Pairings.code, at: early.now)
            }
        }
        let invited = try Pairings.duel(honest: role)
        try invited.evil.send(invite: invited.evil.invitation())
        try invited.exchange()
        #expect(throws: RequestError.wrongStage(.invited)) {
            try invited.honest.link.giveCode(Pairings.code, at: invited.now)
        }
        let duel = try Pairings.duel(honest: role)
        _ = try duel.typeCode()
        try duel.exchange()
        let token = try #require(duel.codeToken)
        try duel.present()
        #expect(throws: RequestError.staleToken) {
            try duel.honest.link.answerCode(token, with: PresentedCode(Pairings.code), at: duel.now)
        }
        #expect(throws: RequestError.codeTriedBefore) { try duel.honest.link.giveCode(Pairings.code, at: duel.now) }
        #expect(throws: RequestError.wrongStage(.pairing)) { try duel.honest.link.cancelInvitation(at: duel.now) }
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(duel.failure == LinkFailure(stage: .pairing, cause: .invitation(.withdrawn)))
        #expect(duel.evil.closeCode == .noError && duel.told.isEmpty)
    }
}
