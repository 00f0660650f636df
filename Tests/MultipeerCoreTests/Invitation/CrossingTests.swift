import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Crossing invitations, SPEC §8.6 and §8.7")
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

    @Test(
        "One link, one session, for both orders of keys and all terms, R8.6-1",
        arguments: [true, false], preferences)
    func oneSession(initiatorIsLesser: Bool, preference: EncryptionPreference) throws {
        for other in Self.preferences {
            let pair = try Self.crossing(initiatorIsLesser: initiatorIsLesser, preference, other)
            pair.pair.run()
            let standing: LinkRole = initiatorIsLesser ? .initiator : .responder
            let (lesser, greater) = (standing, standing.peer)
            let (own, remote) = standing == .initiator ? (preference, other) : (other, preference)
            #expect(!Self.asked(pair, .initiator) && !Self.asked(pair, .responder), "nobody is asked again")
            guard let outcome = EncryptionPolicy.outcome(preference, other) else {
                #expect(
                    pair.failure(of: lesser)
                        == LinkFailure(
                            stage: .inviting, cause: .incompatible(.encryptionPolicy(local: own, remote: remote))))
                #expect(
                    pair.failure(of: greater)?.cause
                        == .incompatible(.encryptionPolicy(local: remote, remote: own)))
                #expect(!Self.merged(pair, greater))
                continue
            }
            #expect(pair.summary(of: lesser)?.encryption == outcome)
            let sessions = (pair.summary(of: lesser)?.session, pair.summary(of: greater)?.session)
            #expect(sessions.0 == sessions.1 && sessions.0 != nil)
            #expect(Self.merged(pair, greater) && !Self.merged(pair, lesser))
        }
    }

    private static func asked(_ pair: TestPair, _ role: LinkRole) -> Bool {
        pair.effects(of: role).contains { if case .invited = $0 { true } else { false } }
    }

    private static func merged(_ pair: TestPair, _ role: LinkRole) -> Bool {
        pair.effects(of: role).contains { if case .invitationsMerged = $0 { true } else { false } }
    }

    enum Sessions: String, Sendable, CaseIterable { case bothNew, standingExists, voidExists, same, different }

    @Test(
        "Unless both sessions are new, the app whose INVITE is void is asked, R8.6-3, R8.6-4",
        arguments: Sessions.allCases,
        [true, false])
    func existingSessions(sessions: Sessions, initiatorIsLesser: Bool) throws {
        // The lesser key founded the one session, and the greater the other.
        let (lesserSeed, greaterSeed) = try Peers.seedsByKey()
        let keys = (try Peers.key(lesserSeed).rawBytes, try Peers.key(greaterSeed).rawBytes)
        let (one, two) = (
            Charter(founder: keys.0, nonce: Array(1...32)), Charter(founder: keys.1, nonce: Array(2...33))
        )
        let admitted = [try Duels.admission(of: keys.1, to: one, by: lesserSeed)]
        let (standing, void): (InvitedSession, InvitedSession) =
            switch sessions {
            case .bothNew: (.new(), .new())
            case .standingExists: (.existing(one), .new())
            case .voidExists: (.new(), .existing(two))
            case .same: (.existing(one), .existing(one, chain: admitted))
            case .different: (.existing(one), .existing(two))
            }
        let pair = try Self.crossing(
            initiatorIsLesser: initiatorIsLesser, .optional, .required,
            initiatorSession: initiatorIsLesser ? standing : void,
            responderSession: initiatorIsLesser ? void : standing, script: .init())
        pair.pair.run()
        let greater: LinkRole = initiatorIsLesser ? .responder : .initiator
        let isAsked = sessions != .bothNew
        #expect(Self.asked(pair, greater) == isAsked && !Self.asked(pair, greater.peer))
        #expect(Self.merged(pair, greater) != isAsked)
        let opened = (pair.summary(of: greater)?.session, pair.summary(of: greater.peer)?.session)
        #expect(opened.0 == opened.1 && opened.0 != nil)
        if let charter = standing.charter { #expect(opened.0 == SessionID(charter, hashing: Peers.crypto.hashing)) }
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

    @Test(
        "The winning invitation is cancelled after the remote peer has merged, R8.5-2",
        arguments: [LinkRole.initiator, .responder])
    func cancelAfterMerge(role: LinkRole) throws {
        let (lesser, greater) = try Peers.seedsByKey()
        let duel = try Duels.make(honest: role, honestSeed: greater, evilSeed: lesser)
        try duel.reach(.inviting)
        try duel.evil.send(duel.evil.invitation())
        try duel.exchange()
        #expect(duel.stage == .certificates && duel.evil.sentTypes.suffix(2) == [.accept, .certificates])
        try Duels.poke(duel, Cancel(.cancelled).encoded() + Close(code: .noError).encoded())
        expectFailure(duel, .invitation(.withdrawnByPeer), at: .certificates, told: .noError)
        // With honest peers, where the one that cancels is the responder.
        let pair = try Self.crossing(initiatorIsLesser: false, .optional, .optional)
        while pair.stages.responder != .inviting { pair.pair.run(rounds: 1) }
        pair.pair.run(rounds: 1)  // its INVITE goes out; until then it would be taken back
        try pair.pair.responder.link.cancelInvitation(at: pair.pair.now)
        pair.pair.run()
        #expect(pair.failures.responder == LinkFailure(stage: .inviting, cause: .invitation(.withdrawn)))
        #expect(pair.failures.initiator?.cause == .invitation(.withdrawnByPeer))
        #expect(pair.stages == (.closed, .closed))
    }

    /// As it came: to a new session, unless said otherwise.
    static func invitation(
        sessionKind: SessionKind = .new, fields: [Field] = [], parameters: [Field] = []
    ) throws -> ReceivedInvitation {
        let (lesser, greater) = try Peers.seedsByKey()
        let duel = try Duels.make(honest: .responder, honestSeed: lesser, evilSeed: greater)
        try duel.reach(.identified)
        let charter = Charter(
            founder: duel.evil.identity.identityKey.rawBytes, nonce: Array(1...32), parameters: parameters)
        try duel.evil.send(
            Invite(
                charter: charter, sessionKind: sessionKind, preference: .optional, identityKind: .none,
                timeout: 1_000, context: [], chain: sessionKind == .new ? nil : [], fields: fields))
        try duel.exchange()
        return try #require(InvitationTests.invitations(duel).first)
    }

    @Test("Over two links the app is asked unless both sessions are new and hold nothing unknown, R8.7-1, R8.6-4")
    func twoLinksAsked() throws {
        let (lesserSeed, greaterSeed) = try Peers.seedsByKey()
        let (lesser, greater) = (try Peers.key(lesserSeed), try Peers.key(greaterSeed))
        var node = CrossingInvitations(localKey: greater)
        node.sent(to: lesser, on: 2, toNewSession: true)
        let odd = [Field(type: 1, value: [])]
        for invitation in [
            try Self.invitation(sessionKind: .existing), try Self.invitation(fields: odd),
            try Self.invitation(parameters: odd),
        ] {
            #expect(node.ruling(on: invitation, from: lesser, on: 1) == .askAndClose([2]))
        }
        node.sent(to: lesser, on: 3, toNewSession: false)
        #expect(node.ruling(on: try Self.invitation(), from: lesser, on: 1) == .askAndClose([2, 3]))
        node.settled(on: 3)
        #expect(node.ruling(on: try Self.invitation(), from: lesser, on: 1) == .acceptAndClose([2]))
    }

    @Test("Unknown fields of the winning INVITE are put to the app, R8.6-4", arguments: InvitationTests.roles)
    func unknownFields(role: LinkRole) throws {
        let (lesser, greater) = try Peers.seedsByKey()
        let odd = [Field(type: 1, value: [7])]
        for (fields, parameters) in [([], []), (odd, []), ([], odd)] as [([Field], [Field])] {
            let duel = try Duels.make(honest: role, honestSeed: greater, evilSeed: lesser)
            try duel.reach(.inviting)
            let charter = Charter(
                founder: duel.evil.identity.identityKey.rawBytes, nonce: Array(1...32), parameters: parameters)
            try duel.evil.send(
                Invite(
                    charter: charter, sessionKind: .new, preference: .optional, identityKind: .none, timeout: 1_000,
                    context: [], fields: fields))
            try duel.exchange()
            let isAsked = !fields.isEmpty || !parameters.isEmpty
            #expect(duel.stage == (isAsked ? .invited : .certificates))
            if isAsked { #expect(duel.deadline == duel.now.advanced(by: .seconds(1))) }
        }
    }

    @Test("Over two links the lesser key's INVITE wins, for both peers, R8.7-1")
    func twoLinks() throws {
        let (lesserSeed, greaterSeed) = try Peers.seedsByKey()
        let (lesser, greater) = (try Peers.key(lesserSeed), try Peers.key(greaterSeed))
        var (one, other) = (CrossingInvitations(localKey: lesser), CrossingInvitations(localKey: greater))
        // The lesser invites on link 1, the greater on link 2; each receives the other's.
        one.sent(to: greater, on: 1, toNewSession: true)
        other.sent(to: lesser, on: 2, toNewSession: true)
        #expect(one.ruling(on: try Self.invitation(), from: greater, on: 2) == .declineAsSuperseded)
        #expect(other.ruling(on: try Self.invitation(), from: lesser, on: 1) == .acceptAndClose([2]))
        // Crossing on one link is the link's own affair; strangers are asked about.
        #expect(one.ruling(on: try Self.invitation(), from: greater, on: 1) == .ask)
        #expect(one.ruling(on: try Self.invitation(), from: try Peers.key(55), on: 3) == .ask)
        one.settled(on: 1)
        #expect(one.ruling(on: try Self.invitation(), from: greater, on: 2) == .ask)
        #expect(CrossingInvitations.stands(local: lesser, remote: greater))
        #expect(!CrossingInvitations.stands(local: greater, remote: lesser))
        #expect(!CrossingInvitations.stands(local: lesser, remote: lesser))
    }

    @Test("An invitation on a third link does not hide the one on the second, R8.7-1")
    func threeLinks() throws {
        let (lesserSeed, greaterSeed) = try Peers.seedsByKey()
        let (lesser, greater) = (try Peers.key(lesserSeed), try Peers.key(greaterSeed))
        var (one, other) = (CrossingInvitations(localKey: lesser), CrossingInvitations(localKey: greater))
        for link: CrossingInvitations.LinkNumber in [3, 2] {
            one.sent(to: greater, on: link, toNewSession: true)
            other.sent(to: lesser, on: link, toNewSession: true)
        }
        #expect(other.ruling(on: try Self.invitation(), from: lesser, on: 1) == .acceptAndClose([2, 3]))
        #expect(other.ruling(on: try Self.invitation(), from: lesser, on: 2) == .acceptAndClose([3]))
        one.settled(on: 2)
        other.settled(on: 2)
        #expect(one.ruling(on: try Self.invitation(), from: greater, on: 1) == .declineAsSuperseded)
        #expect(other.ruling(on: try Self.invitation(), from: lesser, on: 1) == .acceptAndClose([3]))
    }

    @Test("The link of a superseded INVITE closes with duplicate_link for both peers")
    func duplicateLink() throws {
        let pair = TestPair(try Peers.pair(responderScript: .init(terms: nil)))
        pair.pair.run()
        pair.pair.initiator.link.close(.duplicateLink, at: pair.pair.now)
        pair.pair.run()
        #expect(pair.failures.initiator == LinkFailure(stage: .inviting, cause: .invitation(.superseded)))
        #expect(pair.failures.responder == LinkFailure(stage: .invited, cause: .peerClosed(.duplicateLink)))
    }
}
