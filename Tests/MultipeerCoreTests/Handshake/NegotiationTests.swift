import MultipeerCertificates
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Negotiation, SPEC §7")
struct NegotiationTests {
    static let suiteLists: [[Suite]] = [
        [.chaChaPoly], [.aesGCM], [.chaChaPoly, .aesGCM], [.aesGCM, .chaChaPoly],
    ]

    @Test("The first suite of the initiator's that the responder has, R7.3-1", arguments: suiteLists, suiteLists)
    func everyMix(offered: [Suite], supported: [Suite]) throws {
        for grease in [true, false] {
            let pair = TestPair(
                try Peers.pair(
                    adjustInitiator: {
                        $0.suites = offered
                        $0.sendsGrease = grease
                    }, adjustResponder: { $0.suites = supported }))
            pair.pair.run()
            guard let chosen = offered.first(where: supported.contains) else {
                #expect(pair.failures.initiator?.cause == .incompatible(.refused(.unsupportedSuite)))
                #expect(pair.failures.responder == LinkFailure(stage: .hello, cause: .incompatible(.noCommonSuite)))
                #expect(pair.stages == (.closed, .closed))
                continue
            }
            #expect(pair.summaries.initiator?.suite == chosen)
            #expect(pair.summaries.responder?.suite == chosen)
            let hashes = (pair.summaries.initiator?.handshakeHash, pair.summaries.responder?.handshakeHash)
            #expect(hashes.0 == hashes.1)
        }
    }

    @Test("A suite that the provider lacks is neither offered nor chosen", arguments: [LinkRole.initiator, .responder])
    func lackingSuite(role: LinkRole) throws {
        let withoutAESGCM = try SodiumProvider().cryptoProvider()
        let pair = TestPair(
            try Peers.pair(
                suites: [.aesGCM, .chaChaPoly],
                adjustInitiator: { if role == .initiator { $0.crypto = withoutAESGCM } },
                adjustResponder: { if role == .responder { $0.crypto = withoutAESGCM } }))
        pair.pair.run()
        #expect(pair.summaries.initiator?.suite == .chaChaPoly && pair.summaries.responder?.suite == .chaChaPoly)
    }

    @Test("GREASE is offered in all three lists, at changing places, R7.4-1")
    func greaseIsOffered() throws {
        let suites = Peers.crypto.availableSuites
        let own = suites.contains(where: \.isHybrid) ? [HybridShare.type] : []
        var places: Set<Int> = []
        for seed: UInt64 in 0..<32 {
            let configuration = try Peers.configuration("A", seed: 1, suites: suites)
            var peer = SimulatedPeer(
                link: Link(
                    role: .initiator, configuration: configuration, random: SeededRandomSource(seed: seed),
                    now: Duels.start))
            let bytes = peer.transmit(at: Duels.start)
            let hello = try InitiatorHello(decoding: Array(bytes.dropFirst(11)))
            #expect(hello.versions.filter(Grease.contains).count == 1 && hello.versions.count == 2)
            #expect(hello.suites.filter(Grease.contains).count == 1 && hello.suites.count == suites.count + 1)
            #expect(hello.extensions.dropLast().map(\.type) == own)
            #expect(Grease.contains(try #require(hello.extensions.last).type))
            places.insert(try #require(hello.suites.firstIndex(where: Grease.contains)))
        }
        #expect(places == Set(0...suites.count))
    }

    @Test("A responder ignores unknown values, and answers by the first known one, R7.1-3, R7.4-2")
    func responderIgnoresUnknown() throws {
        let duel = try Duels.make(honest: .responder)
        try duel.evil.sendHello(
            .init(
                versions: [0x0A0A, 0x0001, 0xFF01, 0xFF04], suites: [0xFAFA, 0x0005, 0x0002, 0x0001],
                extensions: [(0x0002, [1, 2]), (0x1A1A, []), (0xFF00, [UInt8](repeating: 7, count: 256))]))
        try duel.exchange()
        let hello = try ResponderHello(decoding: try #require(duel.evil.peerHello))
        #expect(hello.version == 0xFF04 && hello.suite == 0x0002 && hello.extensions.isEmpty)
        #expect(duel.evil.sentTypes == [.proof])
        #expect(duel.stage == .proof)
    }

    @Test("Without a common value a REFUSAL lists the supported ones, R7.3-3, R7.5-1")
    func refusals() throws {
        let version = try Duels.make(honest: .responder)
        try version.evil.sendHello(.init(versions: [0x0002, 0x0A0A], suites: [0x0005]))
        try version.exchange()
        #expect(version.evil.refusal == Refusal(code: .unsupportedVersion, versions: [0xFF04]))
        #expect(version.failure == LinkFailure(stage: .hello, cause: .incompatible(.noCommonVersion)))
        #expect(version.isFinished)

        let suite = try Duels.make(honest: .responder, suites: [.chaChaPoly])
        try suite.evil.sendHello(.init(suites: [0x0002, 0x1A1A]))
        try suite.exchange()
        #expect(suite.evil.refusal == Refusal(code: .unsupportedSuite, suites: [1]))
        #expect(suite.failure?.cause == .incompatible(.noCommonSuite))

        let broken = try Duels.make(honest: .responder)
        broken.evil.sendOpening(.hello, body: [UInt8](repeating: 0, count: 39))
        try broken.exchange()
        #expect(broken.evil.refusal == Refusal(code: .malformedHello))
        #expect(broken.failure == LinkFailure(stage: .hello, cause: malformed(.lengthOutOfRange, .versions)))
        // Magic, header, three bytes: and nothing after it.
        #expect(broken.sent == Magic.bytes + [0x02, 0x00, 0x03, 0x04, 0x00, 0x00])
    }

    @Test(
        "An initiator reports a refusal, known code or not, and does not answer it, R7.5-2, R7.5-3",
        arguments: [UInt8(1), 2, 3, 4, 0, 99, 255])
    func refusalReported(code: UInt8) throws {
        let duel = try Duels.make(honest: .initiator)
        try duel.exchange()
        let hello = duel.sent
        duel.evil.sendOpening(.refusal, body: Refusal(code: .init(rawValue: code)).body())
        try duel.exchange()
        #expect(duel.failure == LinkFailure(stage: .hello, cause: .incompatible(.refused(.init(rawValue: code)))))
        #expect(duel.sent == hello && duel.isFinished)
    }

    @Test("A malformed refusal, a second one, and one to a responder are errors")
    func wrongRefusals() throws {
        let malformedRefusal = try Duels.make(honest: .initiator)
        malformedRefusal.evil.sendOpening(.refusal, body: [3, 1, 0, 0])
        try malformedRefusal.exchange()
        #expect(malformedRefusal.failure?.cause == malformed(.lengthOutOfRange, .versions))
        let toResponder = try Duels.make(honest: .responder)
        toResponder.evil.sendOpening(.refusal, body: [3, 0, 0])
        try toResponder.exchange()
        #expect(toResponder.failure?.cause == .violation(.unexpectedRecord(.refusal)))
        #expect(toResponder.sent.isEmpty)
        let second = try Duels.make(honest: .initiator)
        try second.shakeHands()
        second.evil.sendRaw([0x02, 0, 3, 3, 0, 0])
        try second.exchange()
        expectFailure(second, .violation(.unexpectedRecord(.refusal)), at: .proof, told: .unexpectedRecord)
    }

    struct Choice: Sendable, CustomTestStringConvertible {
        let testDescription: String
        var version: UInt16 = 1
        var suite: UInt16 = 1
        var extensions: [(UInt16, [UInt8])] = []
    }

    static let illegalChoices: [Choice] = [
        Choice(testDescription: "version 0", version: 0), Choice(testDescription: "version 2", version: 2),
        Choice(testDescription: "suite 0", suite: 0), Choice(testDescription: "kept suite", suite: 5),
        Choice(testDescription: "private suite", suite: 0xFF00),
        Choice(testDescription: "kept extension", extensions: [(1, [])]),
        Choice(testDescription: "unoffered extension", extensions: [(0xFF01, [9])]),
    ]

    @Test("A responder that chooses an unoffered value, R7.3-2", arguments: illegalChoices)
    func illegalChoice(choice: Choice) throws {
        let duel = try Duels.make(honest: .initiator)
        try duel.exchange()
        try duel.evil.sendAnswer(
            .init(version: choice.version, suite: choice.suite, extensions: choice.extensions))
        try duel.exchange()
        #expect(duel.failure == LinkFailure(stage: .hello, cause: .violation(.illegalChoice)))
        #expect(duel.isFinished && duel.evil.frames.isEmpty)
    }

    @Test("A responder that chooses the offered GREASE, R7.3-2, R7.4-2")
    func greaseChosen() throws {
        for list in 0..<3 {
            let duel = try Duels.make(honest: .initiator)
            try duel.exchange()
            let hello = try InitiatorHello(decoding: try #require(duel.evil.peerHello))
            let version = try #require(hello.versions.first(where: Grease.contains))
            let suite = try #require(hello.suites.first(where: Grease.contains))
            switch list {
            case 0: try duel.evil.sendAnswer(.init(version: version))
            case 1: try duel.evil.sendAnswer(.init(suite: suite))
            default: try duel.evil.sendAnswer(.init(extensions: hello.extensions.map { ($0.type, $0.data) }))
            }
            try duel.exchange()
            #expect(duel.failure?.cause == .violation(.illegalChoice))
        }
    }

    @Test("An unoffered suite is illegal even if the initiator supports it, R7.3-2")
    func suiteNotOffered() throws {
        let duel = try Duels.make(honest: .initiator, suites: [.chaChaPoly])
        try duel.exchange()
        try duel.evil.sendAnswer(.init(suite: Suite.aesGCM.rawValue))
        try duel.exchange()
        #expect(duel.failure?.cause == .violation(.illegalChoice))
    }

    @Test("Hellos that repeat or do not ascend are malformed, R7.1-1, R7.1-2")
    func listRules() throws {
        let repeated: [([UInt16], [UInt16], [(UInt16, [UInt8])], LinkFailureCause)] = [
            ([0xFF04, 0xFF04], [1], [], malformed(.notAscending, .versions)),
            ([1], [1, 2, 1], [], malformed(.notAscending, .suites)),
            ([1], [1], [(5, []), (5, [])], malformed(.notAscending, .extensionType)),
            ([1], [1], [(6, []), (5, [])], malformed(.notAscending, .extensionType)),
            ([], [1, 2], [], malformed(.lengthOutOfRange, .versions)),
            ([1, 2], [], [], malformed(.lengthOutOfRange, .suites)),
            (Array(1...33), [1], [], malformed(.lengthOutOfRange, .versions)),
        ]
        for (versions, suites, extensions, cause) in repeated {
            let duel = try Duels.make(honest: .responder)
            try duel.evil.sendHello(.init(versions: versions, suites: suites, extensions: extensions))
            try duel.exchange()
            #expect(duel.failure == LinkFailure(stage: .hello, cause: cause))
        }
    }

    @Test(
        "A configuration without suites, or with one twice, still makes a hello",
        arguments: [[], [.aesGCM, .aesGCM]] as [[Suite]])
    func degenerateConfiguration(suites: [Suite]) throws {
        let pair = TestPair(
            try Peers.pair(
                adjustInitiator: {
                    $0.suites = suites
                    $0.versions = suites.isEmpty ? [] : [.draft04, .draft04]
                    $0.sendsGrease = false
                }, adjustResponder: { $0.suites = suites.isEmpty ? [] : Suite.allCases }))
        pair.pair.run()
        #expect(pair.summaries.initiator?.suite == (suites.first ?? .chaChaPoly))
        #expect(pair.summaries.responder != nil)
    }
}
