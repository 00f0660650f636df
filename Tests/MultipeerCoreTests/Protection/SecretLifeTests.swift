import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire
import Testing

@testable import MultipeerCore

/// How long a link has its secrets.
@Suite("Life of secrets, SPEC §9.7")
struct SecretLifeTests {
    static let roles: [LinkRole] = [.initiator, .responder]

    private func duel(_ role: LinkRole, _ place: Duel.Place, _ count: KeyCount) throws -> Duel {
        let own = Peers.crypto
        return try Duels.at(place, honest: role) { configuration in
            configuration.crypto = CryptoProvider(
                secrets: own.secrets, agreement: own.agreement, hashing: own.hashing, bulkDigest: own.bulkDigest,
                signatures: own.signatures, chaChaPoly: CountingAEAD(base: own.chaChaPoly, count: count),
                aesGCM: own.aesGCM.map { CountingAEAD(base: $0, count: count) })
        }
    }

    @Test("Intermediate keys are erased at Split(): two are left, R9.7-2", arguments: roles)
    func handshake(role: LinkRole) throws {
        let count = KeyCount()
        let duel = try duel(role, .proof, count)
        #expect(count.live == 2 && count.made > 2)
        try duel.evil.send([0x7E, 0])
        try duel.exchange()
        #expect(duel.failure != nil)
    }

    /// A provider whose secrets are counted apart from those of other tests.
    private static func provider(_ own: SodiumProvider) -> CryptoProvider {
        CryptoProvider(
            secrets: own.secrets, agreement: own.agreement, hashing: own.hashing, bulkDigest: Peers.crypto.bulkDigest,
            signatures: own.signatures, chaChaPoly: own.chaChaPoly, aesGCM: nil, pairing: own.pairing)
    }

    @Test("Secrets of a verification are in locked memory, and erased with its exchange or with the link, R9.7-2")
    func verification() throws {
        for role in Self.roles {
            let own = try SodiumProvider()
            let duel = try Pairings.duel(honest: role) {
                $0.crypto = Self.provider(own)
                $0.suites = [.chaChaPoly]
            }
            let before = own.secrets.usage.usedSlots
            #expect(before == 3)
            try duel.honest.link.compareStrings(at: duel.now)
            // The initiator keeps the string key and its nonce; the responder has not begun.
            #expect(own.secrets.usage.usedSlots == before + (role == .initiator ? 2 : 0))
            try duel.honest.link.giveCode(Pairings.code, at: duel.now)
            #expect(own.secrets.usage.usedSlots == before + (role == .initiator ? 4 : 2), "sid and y")
            try duel.cut()
            #expect(own.secrets.usage.usedSlots == 0)
            #expect(own.secrets.freeSlotsAreZero)
        }
    }

    @Test("After Split() two keys and one for exports are left, and none after the end, R9.7-2, R9.8-2")
    func lockedMemory() throws {
        for role in Self.roles {
            let own = try SodiumProvider()
            let duel = try Duels.at(.proof, honest: role) {
                $0.crypto = Self.provider(own)
                $0.suites = [.chaChaPoly]
            }
            #expect(own.secrets.usage.usedSlots == 3, "e, the agreed secret and ck are gone")
            try duel.evil.send(try duel.evil.proof())
            try duel.exchange()
            #expect(own.secrets.usage.usedSlots == 3, "x has become the exporter secret")
            try duel.cut()
            #expect(own.secrets.usage.usedSlots == 0)
        }
    }

    @Test("A failed handshake leaves no secret, R9.7-2")
    func failedHandshake() throws {
        for role in Self.roles {
            let own = try SodiumProvider()
            let duel = try Duels.make(honest: role) {
                $0.crypto = Self.provider(own)
                $0.suites = [.chaChaPoly]
            }
            try duel.exchange()
            let weak = [UInt8](repeating: 0, count: 32)
            switch role {
            case .responder:
                let hello = InitiatorHello(versions: [0xFF04], suites: [1], extensions: [], ephemeral: weak)
                duel.evil.sendOpening(.hello, body: hello.body())
            case .initiator:
                #expect(own.secrets.usage.usedSlots > 0, "e waits for the answer")
                let hello = ResponderHello(
                    version: 0xFF04, suite: 1, extensions: [], ephemeral: weak,
                    confirmation: [UInt8](repeating: 0, count: 16))
                duel.evil.sendOpening(.hello, body: hello.body())
            }
            try duel.exchange()
            #expect(duel.failure?.cause == .violation(.handshakeFailed))
            #expect(own.secrets.usage.usedSlots == 0)
        }
    }

    @Test("A key is erased when it is replaced, with CLOSE, and when nothing more is read, R9.7-3", arguments: roles)
    func records(role: LinkRole) throws {
        let count = KeyCount()
        let duel = try duel(role, .open, count)
        try duel.honest.link.rekey(at: duel.now)
        try duel.evil.sendRekey()
        try duel.exchange()
        #expect(count.live == 2)
        duel.honest.link.close(at: duel.now)
        try duel.exchange()
        #expect(duel.stage == .closing && count.live == 1)
        try duel.evil.send(WireBytes.close())
        try duel.exchange()
        #expect(duel.stage == .closed && count.live == 0)
    }

    @Test("A link that ends without CLOSE has no keys left, R9.7-3", arguments: roles)
    func cut(role: LinkRole) throws {
        let count = KeyCount()
        let duel = try duel(role, .identified, count)
        #expect(count.live == 2)
        try duel.cut()
        #expect(count.live == 0)
    }

    @Test("Each link has its own ephemeral key, R9.7-1, and each founded session its own nonce, R4.3-1")
    func fresh() throws {
        var (hellos, charters): (Set<[UInt8]>, Set<[UInt8]>) = ([], [])
        var configuration = try Peers.configuration("Honest", seed: 1)
        configuration.sendsGrease = false
        for _ in 0..<3 {
            let link = Link(
                role: .initiator, configuration: configuration, random: Peers.sodium.random, now: Duels.start)
            let evil = ScriptedPeer(
                role: .responder, identity: try Peers.identity(2), crypto: Peers.crypto,
                random: SeededRandomSource(seed: 12))
            let duel = Duel(
                honest: SimulatedPeer(link: link, script: .passive), key: try Peers.key(1), evil: evil,
                now: Duels.start)
            try duel.reach(.inviting)
            hellos.insert(Array(duel.sent.prefix(64)))
            charters.insert(Array(try #require(duel.evil.payloads(of: .invite).first).prefix(65)))
        }
        #expect(hellos.count == 3 && charters.count == 3)
    }

    @Test("The handshake hash is returned whole, R9.7-4", arguments: roles)
    func whole(role: LinkRole) throws {
        let duel = try Duels.at(.open, honest: role)
        #expect(duel.honest.summary?.handshakeHash.rawBytes == duel.evil.handshakeHash)
    }
}

/// How many keys there are, and how many there ever were.
private final class KeyCount: @unchecked Sendable {
    var live = 0
    var made = 0
}

private struct CountingAEAD: AEAD {
    let base: any AEAD
    let count: KeyCount

    func makeKey(_ secret: consuming Secret) throws(CryptoFailure) -> any AEADKey {
        CountingKey(try base.makeKey(secret), count)
    }
}

private final class CountingKey: AEADKey {
    private let base: any AEADKey
    private let count: KeyCount

    init(_ base: any AEADKey, _ count: KeyCount) {
        (self.base, self.count) = (base, count)
        count.live += 1
        count.made += 1
    }

    deinit { count.live -= 1 }

    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, nonce: UInt64
    ) throws(CryptoFailure) {
        try base.seal(&buffer, associatedData: associatedData, plaintext: plaintext, nonce: nonce)
    }

    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, nonce: UInt64, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        try base.open(sealed, associatedData: associatedData, nonce: nonce, into: &plaintext)
    }
}
