import MultipeerCrypto
import MultipeerDefaults
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

/// What no vector shows: real encapsulations, and what becomes of secrets.
@Suite("Hybrid suites, SPEC §7.6", .enabled(if: Peers.crypto.keyEncapsulation != nil))
struct HybridTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    @Test("Two peers that have hybrid suites use one, without being asked to")
    func preferred() throws {
        var pair = try Peers.pair(suites: Peers.crypto.preferredSuites)
        pair.run()
        let (one, other) = (pair.initiator.summary, pair.responder.summary)
        #expect(one?.suite == Peers.crypto.preferredSuites.first && one?.suite.isHybrid == true)
        #expect(one?.suite == other?.suite && one?.handshakeHash == other?.handshakeHash)
    }

    @Test("A peer without ML-KEM-768 connects by a classical suite, in both roles", arguments: roles)
    func lacking(role: LinkRole) throws {
        let own = Peers.crypto
        let classical = CryptoProvider(
            secrets: own.secrets, agreement: own.agreement, hashing: own.hashing, bulkDigest: own.bulkDigest,
            signatures: own.signatures, chaChaPoly: own.chaChaPoly, aesGCM: own.aesGCM)
        var pair = try Peers.pair(
            suites: own.preferredSuites, adjustInitiator: { if role == .initiator { $0.crypto = classical } },
            adjustResponder: { if role == .responder { $0.crypto = classical } })
        pair.run()
        let (one, other) = (pair.initiator.summary, pair.responder.summary)
        #expect(one?.suite.isHybrid == false && one?.suite == other?.suite)
    }

    @Test("Each link has a key and a ciphertext of its own, R9.7-1")
    func fresh() throws {
        let shares = try (1...2).map { _ -> [[UInt8]] in
            let duel = try Duels.make(honest: .responder, suites: [.hybridChaChaPoly])
            try duel.evil.sendHello(.init(suites: [0x0003]))
            try duel.exchange()
            let hello = try ResponderHello(decoding: #require(duel.evil.peerHello))
            return [try #require(hello.ciphertext), hello.ephemeral]
        }
        #expect(shares[0][0] != shares[1][0])
        let keys = try [7, 8].map { (seed: UInt64) in
            var peer = SimulatedPeer(
                link: Link(
                    role: .initiator, configuration: try Peers.configuration("A", seed: 1, suites: Suite.hybrid),
                    random: SeededRandomSource(seed: seed), now: Duels.start))
            let hello = try InitiatorHello(decoding: Array(peer.transmit(at: Duels.start).dropFirst(11)))
            return try #require(try hello.encapsulationKey())
        }
        #expect(keys[0] != keys[1] && keys[0].count == HybridShare.encapsulationKeyLength)
    }

    @Test("The seed of a hybrid suite is in locked memory, and erased at Split(), R9.7-2")
    func hybridSeed() throws {
        func left(by suite: Suite, beforeReply: Int) throws -> Int {
            let own = try SodiumProvider()
            var pair = try Peers.pair(
                suites: [suite],
                adjustInitiator: {
                    $0.crypto = own.cryptoProvider(keyEncapsulation: Peers.crypto.keyEncapsulation)
                })
            #expect(own.secrets.usage.usedSlots == beforeReply)
            pair.run()
            return own.secrets.usage.usedSlots
        }
        let classical = try left(by: .chaChaPoly, beforeReply: 1)
        #expect(try left(by: .hybridChaChaPoly, beforeReply: 2) == classical)
    }

    /// Bytes of the right length; no coefficient is reduced.
    private static let badKey = [UInt8](repeating: 0xFF, count: HybridShare.encapsulationKeyLength)

    @Test(
        "A hello with a bad key, or without one, is malformed, R7.6-2, R7.6-3",
        arguments: [nil, [], badKey.dropLast(), badKey] as [[UInt8]?])
    func badHello(share: [UInt8]?) throws {
        let duel = try Duels.make(honest: .responder, suites: [.hybridChaChaPoly])
        try duel.evil.sendHello(.init(suites: [0x0003], share: .some(share)))
        try duel.exchange()
        guard case .malformed = duel.failure?.cause else {
            Issue.record("\(String(describing: duel.failure))")
            return
        }
        #expect(duel.evil.refusal?.code == .malformedHello)
    }

    @Test("A hybrid suite that was not offered is an illegal choice, R7.3-2", arguments: Suite.hybrid)
    func unoffered(suite: Suite) throws {
        let duel = try Duels.make(honest: .initiator)
        try duel.exchange()
        try duel.evil.sendAnswer(
            .init(suite: suite.rawValue, share: .some([UInt8](repeating: 1, count: HybridShare.ciphertextLength))))
        try duel.exchange()
        #expect(duel.failure == LinkFailure(stage: .hello, cause: .violation(.illegalChoice)))
    }

    @Test("A ciphertext of another length is an illegal choice, R7.6-4", arguments: [0, 1_087, 1_089])
    func badReply(length: Int) throws {
        let duel = try Duels.make(honest: .initiator, suites: [.hybridChaChaPoly])
        try duel.exchange()
        try duel.evil.sendAnswer(.init(suite: 0x0003, share: .some([UInt8](repeating: 1, count: length))))
        try duel.exchange()
        #expect(duel.failure == LinkFailure(stage: .hello, cause: .violation(.illegalChoice)))
    }
}
