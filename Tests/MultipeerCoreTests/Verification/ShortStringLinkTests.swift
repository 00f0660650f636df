import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Short strings on a link, SPEC §25.3, §25.6")
struct ShortStringLinkTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    private static func string(in events: [VerificationEvent]) -> ShortAuthenticationString? {
        for case .shortString(let string) in events { return string }
        return nil
    }

    // MARK: Honest peers

    @Test(
        "Both get the string once both people want to compare, in either order, R25.6-4, R25.6-5",
        arguments: roles)
    func honest(first: LinkRole) throws {
        var pair = try Pairings.pair(typist: .initiator)
        try pair.act(first) { (link, now) throws(RequestError) in try link.compareStrings(at: now) }
        pair.run()
        #expect(pair.verifications(of: first).isEmpty)
        #expect(pair.verifications(of: first.peer) == [.comparisonWanted])
        try pair.act(first.peer) { (link, now) throws(RequestError) in try link.compareStrings(at: now) }
        pair.run()
        let string = try #require(Self.string(in: pair.verifications(of: first)))
        #expect(pair.verifications(of: first) == [.shortString(string)])
        #expect(pair.verifications(of: first.peer) == [.comparisonWanted, .shortString(string)])
        #expect(pair.stage(of: first) == .identified)
    }

    @Test("Both people at once: STRING_ASK crosses STRING_COMMIT, R25.6-3")
    func crossing() throws {
        var pair = try Pairings.pair(typist: .initiator)
        for role in Self.roles {
            try pair.act(role) { (link, now) throws(RequestError) in try link.compareStrings(at: now) }
        }
        pair.run()
        let string = try #require(Self.string(in: pair.verifications(of: .initiator)))
        for role in Self.roles { #expect(pair.verifications(of: role) == [.shortString(string)]) }
    }

    @Test("Two links have two strings, and a link has one")
    func strings() throws {
        var strings: Set<ShortAuthenticationString> = []
        for seed in 0..<3 as Range<UInt64> {
            var pair = LinkPair(
                initiator: SimulatedPeer(
                    link: Link(
                        role: .initiator, configuration: try Peers.configuration("Anna", seed: 1),
                        random: SeededRandomSource(seed: 30 + seed), now: Duels.start)),
                responder: SimulatedPeer(
                    link: Link(
                        role: .responder, configuration: try Peers.configuration("Ben", seed: 2),
                        random: SeededRandomSource(seed: 40 + seed), now: Duels.start)), now: Duels.start)
            pair.run()
            for role in Self.roles {
                try pair.act(role) { (link, now) throws(RequestError) in try link.compareStrings(at: now) }
            }
            pair.run()
            strings.insert(try #require(Self.string(in: pair.verifications(of: .initiator))))
            for role in Self.roles {
                #expect(throws: RequestError.comparedBefore) {
                    try pair.act(role) { (link, now) throws(RequestError) in try link.compareStrings(at: now) }
                }
            }
        }
        #expect(strings.count == 3)
    }

    @Test(
        "In every state from identified on, while a code is tried and while the link drains, R25.6-3", arguments: roles)
    func everyState(role: LinkRole) throws {
        for place in TransitionTableTests.places {
            let (lesser, greater) = try Peers.seedsByKey()
            let duel = try Duels.make(honest: role, honestSeed: lesser, evilSeed: greater)
            duel.evil.features = [1]
            try duel.reach(place)
            let stage = duel.stage
            guard ![.proof, .info, .closing, .closed].contains(stage) else {
                #expect(throws: RequestError.wrongStage(stage)) { try duel.honest.link.compareStrings(at: duel.now) }
                continue
            }
            let deadline = duel.deadline
            try compare(duel, role)
            #expect(duel.stage == stage && duel.deadline == deadline, "\(place)")
        }
        let pairing = try PairingTable.duel(.begun, honest: role)
        try compare(pairing, role)
        #expect(pairing.stage == .pairing)
    }

    /// Both want to compare, and the scripted peer computes the same.
    private func compare(_ duel: Duel, _ role: LinkRole) throws {
        try duel.honest.link.compareStrings(at: duel.now)
        try duel.exchange()
        var random: any RandomSource = SeededRandomSource(seed: 5)
        let (context, primitives) = (try duel.strings(), Peers.sodium.pairing)
        let string: ShortAuthenticationString
        if role == .initiator {
            let commitment = Array(try #require(duel.evil.payloads(of: .stringCommit).first).prefix(32))
            let responder = try ShortStringResponder(
                answering: commitment, context: context, primitives: primitives, random: &random)
            try duel.evil.send(StringNonce(nonce: responder.nonce))
            try duel.exchange()
            let nonce = Array(try #require(duel.evil.payloads(of: .stringReveal).first).prefix(32))
            string = try responder.receive(nonce)
        } else {
            #expect(duel.evil.payloads(of: .stringAsk).count == 1)
            let initiator = try ShortStringInitiator(context: context, primitives: primitives, random: &random)
            try duel.evil.send(StringCommit(commitment: initiator.commitment))
            try duel.exchange()
            let nonce = Array(try #require(duel.evil.payloads(of: .stringNonce).first).prefix(32))
            let revealed = try initiator.reveal(to: nonce)
            try duel.evil.send(StringReveal(nonce: revealed.nonce))
            try duel.exchange()
            string = revealed.string
        }
        #expect(duel.told == [.shortString(string)])
    }

    @Test("A link that drains takes part until its CLOSE, R25.6-3")
    func draining() throws {
        var pair = try Peers.openPair()
        pair.run()
        try pair.act(.initiator) { (link, now) throws(RequestError) in
            try link.send([UInt8](repeating: 1, count: 300_000), at: now)
            try link.send([UInt8](repeating: 1, count: 300_000), at: now)
            link.close(at: now)
            #expect(link.stage == .draining)
            try link.compareStrings(at: now)
        }
        try pair.act(.responder) { (link, now) throws(RequestError) in try link.compareStrings(at: now) }
        pair.run()
        #expect(Self.string(in: pair.verifications(of: .responder)) != nil)
        #expect(pair.initiator.end == .finished(unsentMessages: 0))
    }

    // MARK: Attacks

    @Test(
        "A nonce that does not match its commitment is commitment_invalid, and gives no string, R25.3-2",
        arguments: [0, 31])
    func changedNonce(place: Int) throws {
        let duel = try Pairings.duel(honest: .responder)
        var random: any RandomSource = SeededRandomSource(seed: 5)
        let initiator = try ShortStringInitiator(
            context: try duel.strings(), primitives: Peers.sodium.pairing, random: &random)
        try duel.honest.link.compareStrings(at: duel.now)
        try duel.evil.send(StringCommit(commitment: initiator.commitment))
        try duel.exchange()
        let nonce = Array(try #require(duel.evil.payloads(of: .stringNonce).first).prefix(32))
        var revealed = try initiator.reveal(to: nonce).nonce
        revealed[place] ^= 1
        try duel.evil.send(StringReveal(nonce: revealed))
        try duel.exchange()
        expectFailure(duel, .violation(.commitmentInvalid), at: .identified, told: .commitmentInvalid)
        #expect(duel.told.isEmpty)
    }

    @Test("No commitment and no nonce is sent before the local person wants to compare, R25.6-4")
    func wishes() throws {
        let responder = try Pairings.duel(honest: .responder)
        try Duels.poke(responder, StringCommit(commitment: [UInt8](repeating: 1, count: 32)).encoded())
        #expect(responder.told == [.comparisonWanted] && responder.evil.payloads(of: .stringNonce).isEmpty)
        try responder.honest.link.compareStrings(at: responder.now)
        try responder.exchange()
        #expect(responder.evil.payloads(of: .stringNonce).count == 1)
        let initiator = try Pairings.duel(honest: .initiator)
        try Duels.poke(initiator, StringAsk().encoded())
        #expect(initiator.told == [.comparisonWanted] && initiator.evil.payloads(of: .stringCommit).isEmpty)
        try initiator.honest.link.compareStrings(at: initiator.now)
        try initiator.exchange()
        #expect(initiator.evil.payloads(of: .stringCommit).count == 1 && initiator.told == [.comparisonWanted])
    }

    // MARK: The table

    /// The stages of the table of SPEC §25.6, for each peer.
    enum Stage: CaseIterable {
        case initiatorIdle, initiatorAsked, initiatorCommitted, initiatorCommittedAsked, initiatorDone
        case responderIdle, responderAsking, responderCommitted, responderAnswered, responderDone

        var role: LinkRole {
            switch self {
            case .initiatorIdle, .initiatorAsked, .initiatorCommitted, .initiatorCommittedAsked, .initiatorDone:
                .initiator
            case .responderIdle, .responderAsking, .responderCommitted, .responderAnswered, .responderDone: .responder
            }
        }

        var allowed: Set<FrameType> {
            switch self {
            case .initiatorIdle: [.stringAsk]
            case .initiatorCommitted: [.stringAsk, .stringNonce]
            case .initiatorCommittedAsked: [.stringNonce]
            case .responderIdle, .responderAsking: [.stringCommit]
            case .responderAnswered: [.stringReveal]
            case .initiatorAsked, .initiatorDone, .responderCommitted, .responderDone: []
            }
        }
    }

    private func duel(at stage: Stage) throws -> Duel {
        let duel = try Pairings.duel(honest: stage.role)
        let ones = [UInt8](repeating: 1, count: 32)
        switch stage {
        case .initiatorIdle, .responderIdle: break
        case .initiatorAsked: try duel.evil.send(StringAsk())
        case .initiatorCommitted, .responderAsking: try duel.honest.link.compareStrings(at: duel.now)
        case .initiatorCommittedAsked:
            try duel.honest.link.compareStrings(at: duel.now)
            try duel.evil.send(StringAsk())
        case .initiatorDone:
            try duel.honest.link.compareStrings(at: duel.now)
            try duel.evil.send(StringNonce(nonce: ones))
        case .responderCommitted: try duel.evil.send(StringCommit(commitment: ones))
        case .responderAnswered:
            try duel.honest.link.compareStrings(at: duel.now)
            try duel.evil.send(StringCommit(commitment: ones))
        case .responderDone: try compare(duel, .responder)
        }
        try duel.exchange()
        return duel
    }

    @Test("Every frame at every stage of the exchange behaves as in the table, R25.6-3", arguments: Stage.allCases)
    func everyStage(stage: Stage) throws {
        for type in [FrameType.stringAsk, .stringCommit, .stringNonce, .stringReveal] {
            let duel = try duel(at: stage)
            #expect(duel.end == nil)
            try Duels.poke(duel, try TransitionTableTests.sound(type, by: duel.evil))
            if stage.allowed.contains(type) {
                #expect(duel.evil.closeCode != .unexpectedFrame, "\(stage) \(type)")
                #expect(duel.end == nil || duel.cause == .violation(.commitmentInvalid), "\(stage) \(type)")
            } else {
                expectFailure(duel, unexpected(type), at: .identified, told: .unexpectedFrame)
            }
        }
    }

    @Test("An app that reports a difference closes with strings_differ", arguments: roles)
    func differ(role: LinkRole) throws {
        let duel = try Pairings.duel(honest: role)
        duel.honest.link.close(.stringsDiffer, at: duel.now)
        try duel.exchange()
        #expect(duel.evil.closeCode == .stringsDiffer)
        let told = try Pairings.duel(honest: role)
        try told.evil.send(Close(code: .stringsDiffer))
        try told.exchange()
        #expect(told.failure == LinkFailure(stage: .identified, cause: .peerClosed(.stringsDiffer)))
        #expect(told.failure?.remedy == "stop: somebody may be between the two peers")
    }
}

extension Duel {
    /// The strings of one peer, for the scripted peer.
    fileprivate func strings() throws -> ShortStringContext {
        let key = try evil.export(
            label: ShortStringContext.exportLabel, context: [], length: ShortStringContext.exportLength)
        let own = evil.identity.identityKey
        return ShortStringContext(
            stringKey: try SharedSecret(copying: key, in: Peers.sodium.secrets),
            initiator: evil.role == .initiator ? own : honestKey,
            responder: evil.role == .initiator ? honestKey : own)
    }
}
