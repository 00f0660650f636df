import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Codes and short strings of a node, SPEC §25.5 to §25.7")
struct NodeVerificationTests {
    private func duel(adjust: (inout NodeConfiguration) -> Void = { _ in }) throws -> NodeDuel {
        let duel = try NodeDuel(adjust: adjust)
        duel.features = [1]
        return duel
    }

    // MARK: Two nodes

    @Test(
        "An invitation with the code that the remote peer shows: verified, and then invited", arguments: [true, false])
    func twoNodes(expects: Bool) throws {
        let network = Simulator(seed: 1)
        let (anna, ben) = (try Networks.add(1, to: network), try Networks.add(2, to: network))
        let session = try #require(network.found(anna))
        var shown: ShownCode?
        let now = network.now
        try network.act(ben) { node in shown = try node.showCode(number: 17, at: now) }
        let code = try #require(shown).code
        #expect(code.number == 17 && ben.node.shownCode == shown)
        network.connect(anna, to: ben, inviting: session, expects: expects, code: code)
        network.run(for: .seconds(5))
        Networks.expectWhole(network, session)
        #expect(anna.app.verifications.map(\.event) == [.codeBurned(.typist), .codeVerified(.typist)])
        #expect(ben.app.verifications.map(\.event) == [.codeBurned(.presenter), .codeVerified(.presenter)])
        #expect(ben.node.shownCode == nil)
        #expect(ben.app.asked == [.existing])
    }

    @Test("With another code nobody is invited", arguments: [true, false])
    func twoNodesWrongCode(expects: Bool) throws {
        let network = Simulator(seed: 1)
        let (anna, ben) = (try Networks.add(1, to: network), try Networks.add(2, to: network))
        let session = try #require(network.found(anna))
        let now = network.now
        try network.act(ben) { node in _ = try node.showCode(number: 4, at: now) }
        network.connect(anna, to: ben, inviting: session, expects: expects, code: Pairings.code)
        network.run(for: .seconds(5))
        #expect(anna.app.verifications.map(\.event) == [.codeBurned(.typist)])
        #expect(ben.app.verifications.map(\.event) == [.codeBurned(.presenter)])
        #expect(ben.app.asked.isEmpty && anna.state(of: ben, in: session) != .connected)
        #expect(network.faults.isEmpty)
    }

    @Test("Two members compare over their open link")
    func members() throws {
        let (network, session) = try Networks.session(of: 2)
        let (anna, ben) = (network.hosts[0], network.hosts[1])
        for host in [anna, ben] {
            let peer = host === anna ? ben.key : anna.key
            let now = network.now
            try network.act(host) { (node) throws(NodeRequestError) in
                guard let link = node.link(to: peer, in: session) else { throw .notConnected }
                try node.compareStrings(on: link, at: now)
            }
            network.run(for: .seconds(1))
        }
        let strings = [anna, ben].map { host in
            host.app.verifications.compactMap { if case .shortString(let string) = $0.event { string } else { nil } }
        }
        #expect(strings[0].count == 1 && strings[0] == strings[1])
        #expect(ben.app.verifications.map(\.event).contains(.comparisonWanted))
    }

    // MARK: Presenting

    /// Types a code on a link, as far as CODE_ANSWER. Returns what would confirm it.
    private func type(_ code: OneTimeCode, on peer: ScriptedPeer, _ duel: NodeDuel) throws -> CodeConfirm {
        let typist = try peer.typeCode(code)
        try duel.exchange()
        return CodeConfirm(confirmation: try typist.receive(try #require(peer.answer)).confirmation)
    }

    @Test(
        "Strangers that begin attempts and then stay silent lock nobody out, and the app is notified of each, R25.6-6, R25.6-8"
    )
    func strangersInTurn() throws {
        let duel = try duel()
        let code = try duel.node.showCode(number: 4, at: duel.now).code
        let guess = Pairings.typed("4-acorn-acorn")
        let strangers = try (10..<42 as Range<UInt64>).map { seed in
            let stranger = try duel.connect(seed)
            _ = try type(guess, on: stranger.peer, duel)
            return stranger
        }
        let honest = try duel.connect(2)
        let confirmation = try type(code, on: honest.peer, duel)
        try duel.advance(by: .seconds(9))
        try duel.cut(strangers[0].link)
        try duel.exchange()
        #expect(duel.events(on: strangers[0].link) == [.codeAbandoned])
        try honest.peer.send(confirmation)
        try duel.exchange()
        #expect(duel.events(on: honest.link) == [.codeBurned(.presenter), .codeVerified(.presenter)])
        // The attempts that they leave now had already expired.
        try duel.advance(by: .seconds(1))
        #expect(strangers.dropFirst().allSatisfy { $0.peer.closeCode == .handshakeTimeout })
        #expect(strangers.dropFirst().allSatisfy { duel.events(on: $0.link).isEmpty })
    }

    @Test(
        "One guess over all links: the first peer that confirms uses it, right or wrong, R25.5-5",
        arguments: [true, false])
    func oneGuess(isRightFirst: Bool) throws {
        let duel = try duel()
        let code = try duel.node.showCode(number: 4, at: duel.now).code
        let (first, second) = (try duel.connect(2), try duel.connect(3))
        let typed = isRightFirst ? code : Pairings.typed("4-acorn-acorn")
        let confirmations = (try type(typed, on: first.peer, duel), try type(code, on: second.peer, duel))
        try first.peer.send(confirmations.0)
        try second.peer.send(confirmations.1)
        try duel.exchange()
        let verified: [VerificationEvent] = isRightFirst ? [.codeVerified(.presenter)] : []
        #expect(duel.events(on: first.link) == [.codeBurned(.presenter)] + verified)
        #expect(duel.events(on: second.link).isEmpty)
        #expect(first.peer.closeCode == (isRightFirst ? nil : .codeWrong))
        #expect(second.peer.closeCode == .codeUnavailable && second.peer.confirmation == nil)
        #expect(duel.node.shownCode == nil)
        // It was good for one.
        let third = try duel.connect(4)
        _ = try third.peer.typeCode(code)
        try duel.exchange()
        #expect(third.peer.closeCode == .codeUnavailable)
    }

    @Test("A link that closes before CODE_CONFIRM keeps the code, and a wrong one does not, R25.5-5, R25.6-8")
    func whatBurns() throws {
        let duel = try duel()
        let shown = try duel.node.showCode(number: 4, at: duel.now)
        let first = try duel.connect(2)
        _ = try first.peer.typeCode(shown.code)
        try duel.exchange()
        try duel.cut(first.link)
        #expect(duel.node.shownCode == shown)
        let slow = try duel.connect(3)
        _ = try slow.peer.typeCode(shown.code)
        try duel.exchange()
        try duel.advance(by: .seconds(10))
        #expect(slow.peer.closeCode == .handshakeTimeout && duel.node.shownCode == shown)
        let guesser = try duel.connect(4)
        let guess = try guesser.peer.typeCode(Pairings.typed("4-tulip-orbit"))
        try duel.exchange()
        let confirming = try guess.receive(try #require(guesser.peer.answer))
        try guesser.peer.send(CodeConfirm(confirmation: confirming.confirmation))
        try duel.exchange()
        #expect(guesser.peer.closeCode == .codeWrong && duel.node.shownCode == nil)
        #expect(duel.events(on: guesser.link) == [.codeBurned(.presenter)])
    }

    @Test("A code leaves the screen after ten minutes")
    func expires() throws {
        let duel = try duel()
        let code = try duel.node.showCode(number: 4, at: duel.now).code
        try duel.advance(by: .seconds(599))
        #expect(duel.node.shownCode != nil && duel.expiries == 0)
        try duel.advance(by: .seconds(1))
        try duel.exchange()
        #expect(duel.node.shownCode == nil && duel.expiries == 1)
        let late = try duel.connect(2)
        _ = try late.peer.typeCode(code)
        try duel.exchange()
        #expect(late.peer.closeCode == .codeUnavailable)
        let bare = try self.duel { $0.link.offersVerification = false }
        #expect(throws: NodeRequestError.link(.verificationUnavailable)) {
            _ = try bare.node.showCode(number: 4, at: bare.now)
        }
    }

    // MARK: Typing

    @Test("INVITE waits for the code, and is sent once the code was right, R17-1")
    func invitationWaits() throws {
        let duel = try duel()
        let (link, peer) = try duel.connect(2)
        try duel.node.invite(on: link, terms: NodeDuel.terms, code: Pairings.code, at: duel.now)
        try duel.exchange()
        #expect(!peer.sentTypes.contains(.invite))
        let presenter = try peer.answerCode()
        try duel.exchange()
        #expect(!peer.sentTypes.contains(.invite))
        try peer.send(CodeConfirm(confirmation: try presenter.confirm(try #require(peer.confirmation))))
        try duel.exchange()
        #expect(peer.sentTypes.contains(.invite))
        #expect(duel.events(on: link) == [.codeBurned(.typist), .codeVerified(.typist)])
        try peer.send(accept: Accept(preference: .optional, identityKind: .none, outcome: .encrypted))
        try duel.exchange()
        try duel.finish(peer)
        #expect(duel.node.stage(of: link) == .open)
    }

    @Test("A burned code is refused with every peer, R25.5-6")
    func burnedCode() throws {
        let duel = try duel()
        let first = try duel.connect(2)
        try duel.node.giveCode(Pairings.code, on: first.link, at: duel.now)
        try duel.exchange()
        let second = try duel.connect(3)
        #expect(throws: NodeRequestError.codeUsed) {
            try duel.node.giveCode(Pairings.code, on: second.link, at: duel.now)
        }
        // Nobody has answered: the typist still has it.
        try duel.cut(first.link)
        try duel.node.giveCode(Pairings.code, on: second.link, at: duel.now)
        try duel.exchange()
        _ = try second.peer.answerCode(Pairings.other)
        try duel.exchange()
        try second.peer.send(Close(code: .codeWrong))
        try duel.exchange()
        let third = try duel.connect(4)
        try duel.node.invite(on: third.link, terms: NodeDuel.terms, code: Pairings.other, at: duel.now)
        let fourth = try duel.connect(5)
        #expect(throws: NodeRequestError.codeUsed) {
            try duel.node.invite(on: fourth.link, terms: NodeDuel.terms, code: Pairings.code, at: duel.now)
        }
        #expect(!fourth.peer.sentTypes.contains(.codeBegin) && !fourth.peer.sentTypes.contains(.invite))
        try duel.advance(by: .seconds(600))
        let fifth = try duel.connect(6)
        try duel.node.giveCode(Pairings.code, on: fifth.link, at: duel.now)
        try duel.exchange()
        #expect(fifth.peer.sentTypes.contains(.codeBegin))
    }

    @Test("A peer without the feature is not invited, and the app is notified, R25.6-2")
    func featureMissing() throws {
        let duel = try duel()
        duel.features = []
        let known = try duel.connect(2)
        let isAvailable = duel.node.isVerificationAvailable(on: known.link)
        #expect(!isAvailable)
        #expect(throws: NodeRequestError.link(.verificationUnavailable)) {
            try duel.node.invite(on: known.link, terms: NodeDuel.terms, code: Pairings.code, at: duel.now)
        }
        let unknown = try duel.hello(3)
        try duel.node.invite(on: unknown.link, terms: NodeDuel.terms, code: Pairings.code, at: duel.now)
        try unknown.peer.send(try unknown.peer.proof())
        try unknown.peer.send(unknown.peer.peerInfo())
        try duel.exchange()
        let refusals = duel.effects.compactMap { effect in
            if case .notInvited(unknown.link, let error) = effect { error } else { nil }
        }
        #expect(refusals == [.link(.verificationUnavailable)])
        #expect(unknown.peer.closeCode == .noError && !unknown.peer.sentTypes.contains(.invite))
    }

    @Test("A peer that tries the local code needs none of its own: the invitation follows")
    func peerTypesFirst() throws {
        let duel = try duel()
        let code = try duel.node.showCode(number: 4, at: duel.now).code
        let (link, peer) = try duel.connect(2)
        let typist = try peer.typeCode(code)
        try duel.exchange()
        try duel.node.invite(on: link, terms: NodeDuel.terms, code: Pairings.other, at: duel.now)
        try duel.exchange()
        #expect(!peer.sentTypes.contains(.invite) && !peer.sentTypes.contains(.codeBegin))
        let confirming = try typist.receive(try #require(peer.answer))
        try peer.send(CodeConfirm(confirmation: confirming.confirmation))
        try duel.exchange()
        #expect(duel.events(on: link) == [.codeVoid, .codeBurned(.presenter), .codeVerified(.presenter)])
        #expect(peer.sentTypes.contains(.invite))
        // The code that was not tried is as good as before.
        let next = try duel.connect(3)
        try duel.node.giveCode(Pairings.other, on: next.link, at: duel.now)
    }

    // MARK: Short strings

    @Test("Ten short strings in an hour, confirmed ones not counted, SPEC §25.3")
    func comparisons() throws {
        let duel = try duel()
        var links: [LinkNumber] = []
        for seed in 2..<13 as Range<UInt64> {
            let (link, peer) = try duel.connect(seed)
            links.append(link)
            if links.count <= 10 {
                try duel.node.compareStrings(on: link, at: duel.now)
                try duel.exchange()
                #expect(peer.sentTypes.contains(.stringAsk))
            }
        }
        let last = try #require(links.last)
        #expect(throws: NodeRequestError.tooManyComparisons) {
            try duel.node.compareStrings(on: last, at: duel.now)
        }
        duel.node.confirmStrings(on: links[0])
        try duel.node.compareStrings(on: last, at: duel.now)
        duel.node.close(links[1], .stringsDiffer, at: duel.now)
        #expect(throws: NodeRequestError.unknownLink) {
            try duel.node.compareStrings(on: links[1], at: duel.now)
        }
    }
}

extension NodeDuel {
    /// What the app heard of codes and strings on a link.
    fileprivate func events(on link: LinkNumber) -> [VerificationEvent] {
        effects.compactMap { if case .verification(link, let event) = $0 { event } else { nil } }
    }

    /// How often a code was good no longer.
    fileprivate var expiries: Int {
        effects.count { if case .codeExpired = $0 { true } else { false } }
    }
}
