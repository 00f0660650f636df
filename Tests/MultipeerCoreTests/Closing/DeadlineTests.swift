import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Deadlines and misuse, SPEC §19")
struct DeadlineTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    /// How long each place may last, the error, and the code that the peer gets.
    static func limit(_ place: Duel.Place) -> (Duration, LinkFailureCause, CloseCode?)? {
        switch place {
        case .hello: (.seconds(10), .timedOut, nil)
        case .proof, .info: (.seconds(10), .timedOut, .handshakeTimeout)
        case .identified: (.seconds(60), .timedOut, .invitationTimeout)
        case .invited, .inviting, .invitingCrossed: (.seconds(30), .invitation(.noAnswer), .noError)
        case .certificatesAsked, .certificatesNoted:
            (.seconds(60), .certificate(.verdictTimeout), .verdictTimeout)
        case .certificatesInvitee, .certificatesInviter, .certificatesAccepted:
            (.seconds(60), .timedOut, .verdictTimeout)
        case .closingSession: (.seconds(5), .timedOut, .noError)
        case .open, .closingFailed, .closed: nil
        }
    }

    @Test(
        "Every state but open has a deadline, which fires with its error, R19-3", arguments: roles, Duel.Place.allCases)
    func everyState(role: LinkRole, place: Duel.Place) throws {
        let duel = try Duels.at(place, honest: role)
        guard let (duration, cause, code) = Self.limit(place) else {
            #expect((duel.deadline == nil) == (place != .closingFailed))
            return
        }
        let stage = duel.stage
        #expect(duel.deadline == duel.now.advanced(by: duration))
        // Early calls change nothing.
        let early = Instant(nanoseconds: duel.now.advanced(by: duration).nanoseconds - 1)
        duel.honest.link.timeout(at: early)
        #expect(duel.stage == stage && duel.end == nil)
        try duel.advance(by: duration)
        #expect(duel.evil.closeCode == code)
        if [.invited, .inviting, .invitingCrossed].contains(place) {
            #expect(duel.end == nil && duel.stage == .closing)
            try duel.advance(by: .seconds(5))
        }
        #expect(duel.failure == LinkFailure(stage: stage, cause: cause))
        expectSoundEnd(duel)
        try duel.advance(by: .seconds(5))
        #expect(duel.isFinished && duel.deadline == nil)
    }

    @Test("A closing link waits while records come, but not for ever")
    func closingLimit() throws {
        for place in [Duel.Place.closingSession, .closingFailed] {
            let duel = try Duels.at(place, honest: .responder)
            for second in stride(from: 4, to: 60, by: 4) {
                try duel.advance(by: .seconds(4))
                #expect(duel.stage == .closing, "\(place) \(second)")
                try Duels.poke(duel, WireBytes.frame(.padding))
            }
            try duel.advance(by: .seconds(4))
            #expect(duel.stage == .closed)
        }
    }

    @Test("A handshake that trickles still times out")
    func trickle() throws {
        let duel = try Duels.make(honest: .responder)
        for byte in Magic.bytes {
            try duel.advance(by: .seconds(1))
            duel.evil.sendRaw([byte])
            try duel.exchange()
        }
        #expect(duel.stage == .hello)
        try duel.advance(by: .seconds(2))
        #expect(duel.failure == LinkFailure(stage: .hello, cause: .timedOut))
        #expect(duel.sent.isEmpty && duel.isFinished)
    }

    @Test("Every request in a wrong stage is misuse, and changes nothing", arguments: roles, Duel.Place.allCases)
    func misuse(role: LinkRole, place: Duel.Place) throws {
        let duel = try Duels.at(place, honest: role)
        let (stage, deadline, effects) = (duel.stage, duel.deadline, duel.effects.count)
        let tokens = (try Self.foreignToken(place), try Self.foreignFile())
        let wrong = RequestError.wrongStage(stage)
        if stage != .open {
            #expect(throws: wrong) { try duel.honest.link.send([1], at: duel.now) }
            #expect(throws: wrong) { _ = try duel.honest.link.offerFile(name: "a", size: 1, at: duel.now) }
            #expect(throws: wrong) { try duel.honest.link.supply([1], to: tokens.1, at: duel.now) }
            #expect(throws: wrong) { try duel.honest.link.cancelFile(tokens.1, at: duel.now) }
            #expect(throws: wrong) { try duel.honest.link.acceptFile(tokens.1, at: duel.now) }
            #expect(throws: wrong) { try duel.honest.link.refuseFile(tokens.1, at: duel.now) }
            #expect(throws: wrong) { try duel.honest.link.confirmFile(tokens.1, at: duel.now) }
        } else {
            #expect(throws: RequestError.unknownFile) { try duel.honest.link.supply([1], to: tokens.1, at: duel.now) }
            #expect(throws: RequestError.unknownFile) { try duel.honest.link.cancelFile(tokens.1, at: duel.now) }
            #expect(throws: RequestError.unknownFile) { try duel.honest.link.acceptFile(tokens.1, at: duel.now) }
            #expect(throws: RequestError.unknownFile) { try duel.honest.link.refuseFile(tokens.1, at: duel.now) }
            #expect(throws: RequestError.unknownFile) { try duel.honest.link.confirmFile(tokens.1, at: duel.now) }
        }
        if ![.hello, .proof, .info, .identified].contains(stage) {
            let invitation = OutgoingInvitation(terms: SessionTerms())
            #expect(throws: wrong) { try duel.honest.link.invite(invitation, at: duel.now) }
        }
        if stage != .inviting { #expect(throws: wrong) { try duel.honest.link.cancelInvitation(at: duel.now) } }
        #expect(throws: RequestError.staleToken) {
            try duel.honest.link.accept(tokens.0, with: SessionTerms(), at: duel.now)
        }
        #expect(throws: RequestError.staleToken) { try duel.honest.link.decline(tokens.0, at: duel.now) }
        #expect(throws: RequestError.staleToken) {
            try duel.honest.link.submitVerdict(.accepted(.unverified), for: tokens.0, at: duel.now)
        }
        try duel.exchange()
        #expect(duel.stage == stage && duel.deadline == deadline && duel.effects.count == effects)
    }

    /// A token that the link under test does not wait for: of a question for a verdict, or of one for an answer.
    private static func foreignToken(_ place: Duel.Place) throws -> LinkToken {
        let duel = try Duels.at(.certificatesAsked, honest: .responder)
        let isJudging = place == .certificatesAsked || place == .certificatesNoted
        return try #require(isJudging ? duel.invitationToken : duel.judgementToken)
    }

    private static func foreignFile() throws -> FileID {
        let duel = try Duels.at(.open, honest: .initiator)
        let first = try duel.honest.link.offerFile(name: "a", size: 0, at: duel.now)
        try duel.honest.link.cancelFile(first, at: duel.now)
        return try duel.honest.link.offerFile(name: "b", size: 0, at: duel.now)
    }
}
