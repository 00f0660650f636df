import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Crossing invitations on one link, SPEC §8.6")
struct CrossingTests {
    static let preferences = EncryptionPreference.allCases

    /// Two honest peers that have invited each other before a byte of either arrived.
    static func crossing(
        initiatorIsLesser: Bool, _ initiatorTerms: EncryptionPreference, _ responderTerms: EncryptionPreference,
        initiatorSession: InvitedSession = .new(), responderSession: InvitedSession = .new(),
        script: SimulatedPeer.Script = .init(terms: nil)
    ) throws -> TestPair {
        let (lesser, greater) = try Peers.seedsByKey()
        let seeds = initiatorIsLesser ? (lesser, greater) : (greater, lesser)
        func link(_ role: LinkRole, _ seed: UInt64) throws -> Link {
            Link(
                role: role, configuration: try Peers.configuration("\(role)", seed: seed),
                random: SeededRandomSource(seed: seed + 10), now: Duels.start)
        }
        var initiator = try link(.initiator, seeds.0)
        var responder = try link(.responder, seeds.1)
        try initiator.invite(
            OutgoingInvitation(terms: SessionTerms(encryption: initiatorTerms), session: initiatorSession),
            at: Duels.start)
        try responder.invite(
            OutgoingInvitation(terms: SessionTerms(encryption: responderTerms), session: responderSession),
            at: Duels.start)
        return TestPair(
            LinkPair(
                initiator: SimulatedPeer(link: initiator, script: script),
                responder: SimulatedPeer(link: responder, script: script), now: Duels.start))
    }

    /// Charters of the peers with the lesser and the greater key. The first is that of the lesser session if `isOrdered`.
    private static func charters(isOrdered: Bool) throws -> (lesserKey: Charter, greaterKey: Charter) {
        let seeds = try Peers.seedsByKey()
        let first = Charter(founder: try Peers.key(seeds.lesser).rawBytes, nonce: Array(1...32))
        let second = Charter.founded(
            by: try Peers.key(seeds.greater).rawBytes, lesser: !isOrdered,
            than: SessionID(first, hashing: Peers.crypto.hashing), hashing: Peers.crypto.hashing)
        return (first, second)
    }

    @Test(
        "The INVITE for the lesser session wins, whatever the keys are, and the app of the other peer is asked, R8.6-1",
        arguments: [true, false], [true, false])
    func lesserSession(initiatorIsLesser: Bool, isOrdered: Bool) throws {
        let (lesser, greater) = try Self.charters(isOrdered: isOrdered)
        for (preference, other) in Self.preferences.flatMap({ one in Self.preferences.map { (one, $0) } }) {
            let pair = try Self.crossing(
                initiatorIsLesser: initiatorIsLesser, preference, other,
                initiatorSession: .founded(initiatorIsLesser ? lesser : greater),
                responderSession: .founded(initiatorIsLesser ? greater : lesser),
                script: .init(terms: SessionTerms(encryption: .optional)))
            pair.pair.run()
            let winner: LinkRole = initiatorIsLesser == isOrdered ? .initiator : .responder
            #expect(Self.asked(pair, winner.peer) && !Self.asked(pair, winner))
            let session = SessionID(isOrdered ? lesser : greater, hashing: Peers.crypto.hashing)
            #expect(pair.summary(of: winner)?.session == session && pair.summary(of: winner.peer)?.session == session)
        }
    }

    private static func asked(_ pair: TestPair, _ role: LinkRole) -> Bool {
        pair.effects(of: role).contains { if case .invited = $0 { true } else { false } }
    }

    @Test("Of two INVITEs to one session that of the lesser key wins, R8.6-1", arguments: [true, false])
    func oneSession(initiatorIsLesser: Bool) throws {
        let (lesserSeed, greaterSeed) = try Peers.seedsByKey()
        let charter = Charter(founder: try Peers.key(lesserSeed).rawBytes, nonce: Array(1...32))
        let admitted = [try Duels.admission(of: try Peers.key(greaterSeed).rawBytes, to: charter, by: lesserSeed)]
        let (own, other): (InvitedSession, InvitedSession) = (.existing(charter), .existing(charter, chain: admitted))
        let pair = try Self.crossing(
            initiatorIsLesser: initiatorIsLesser, .optional, .required,
            initiatorSession: initiatorIsLesser ? own : other, responderSession: initiatorIsLesser ? other : own,
            script: .init())
        pair.pair.run()
        let lesser: LinkRole = initiatorIsLesser ? .initiator : .responder
        #expect(Self.asked(pair, lesser.peer) && !Self.asked(pair, lesser))
        #expect(pair.summary(of: .initiator)?.session == pair.summary(of: .responder)?.session)
    }

    @Test("CANCEL of a void INVITE ends the winning invitation, R8.6-1", arguments: [LinkRole.initiator, .responder])
    func cancelOfVoid(role: LinkRole) throws {
        for (reason, end) in [
            (Cancel(.cancelled), InvitationEnd.withdrawnByPeer), (Cancel(.timeout), .noAnswer),
        ] {
            let duel = try Duels.at(.invitingCrossed, honest: role)
            try Duels.poke(duel, reason.encoded() + Close(code: .noError).encoded())
            expectFailure(duel, .invitation(end), at: .inviting, told: .noError)
            #expect(duel.isFinished)
        }
        let second = try Duels.at(.invitingCrossed, honest: role)
        try second.evil.send(second.evil.invitation())
        try second.exchange()
        expectFailure(second, unexpected(.invite), at: .inviting, told: .unexpectedFrame)
    }

    @Test("A void INVITE is ignored, once decoded", arguments: [LinkRole.initiator, .responder])
    func voidIsDecoded(role: LinkRole) throws {
        let duel = try Duels.at(.inviting, honest: role)
        try Duels.poke(duel, WireBytes.frame(.invite, InviteBytes.invite(timeout: [0])))
        expectFailure(duel, malformed(.valueOutOfRange, .timeout), at: .inviting, told: .malformed)
    }

    @Test("The link of an INVITE that is given up for another link closes with duplicate_link for both peers")
    func duplicateLink() throws {
        let pair = TestPair(try Peers.pair(responderScript: .init(terms: nil)))
        pair.pair.run()
        pair.pair.initiator.link.close(.duplicateLink, at: pair.pair.now)
        pair.pair.run()
        #expect(pair.failures.initiator == LinkFailure(stage: .inviting, cause: .invitation(.superseded)))
        #expect(pair.failures.responder == LinkFailure(stage: .invited, cause: .peerClosed(.duplicateLink)))
    }
}
