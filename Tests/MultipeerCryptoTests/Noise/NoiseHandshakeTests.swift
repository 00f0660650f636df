import MultipeerCrypto
import MultipeerSodium
import MultipeerTestSupport
import MultipeerTesting
import MultipeerWire
import Testing

@Suite("Noise NN handshake, SPEC §9")
struct NoiseHandshakeTests {
    @Test("Both peers get one transcript and matching keys", arguments: TestProvider.all.availableSuites)
    func agreement(suite: Suite) throws {
        var pair = try NoisePair(.init(suite: suite, payloads: [[1, 2, 3], [4, 5]]))
        #expect(pair.payloads == [[1, 2, 3], [4, 5]])
        #expect(pair.messages.map(\.count) == [32 + 3, 32 + 2 + 16])
        #expect(pair.initiator.handshakeHash == pair.responder.handshakeHash)
        for number in UInt8(0)..<3 {
            let there = try pair.initiator.sending.seal([number])
            let back = try pair.responder.sending.seal([number])
            #expect(there != back, "each direction has its own key")
            #expect(try pair.responder.receiving.open(there) == [number])
            #expect(try pair.initiator.receiving.open(back) == [number])
        }
        #expect(pair.initiator.sending.nonce == 3)
        #expect(pair.responder.receiving.nonce == 3)
    }

    @Test("A transport is split by its owner in another module")
    func ownership() throws {
        let pair = try NoisePair(.init())
        let hash = pair.initiator.handshakeHash
        let transport = Self.initiator(of: pair)
        var sending = transport.sending
        let receiving = transport.receiving
        #expect(try sending.seal([]).count == 16)
        #expect(receiving.nonce == 0)
        #expect(hash.rawBytes.count == 32)
    }

    private static func initiator(of pair: consuming NoisePair) -> NoiseTransport { pair.initiator }

    @Test("Random handshakes differ in everything; one seed gives one handshake")
    func ephemerality() throws {
        var seen: Set<[UInt8]> = []
        for seed in [1, 2, 3, 1] as [UInt64] {
            var random: any RandomSource = SeededRandomSource(seed: seed)
            let start = try NoiseNNInitiator(crypto: TestProvider.all, random: &random)
            let first = start.ephemeralKey.rawBytes
            let nothing: [UInt8] = []
            let awaitingReply = try start.start(suite: .aesGCM, prologue: nothing.span)
            var payload: [UInt8] = []
            var second: [UInt8] = []
            let responder = try NoiseNNResponder(suite: .aesGCM, prologue: nothing.span, crypto: TestProvider.all)
            let answer = try responder.read(first.span, payload: &payload).write(random: &random, into: &second)
            let end = try awaitingReply.read(second.span, payload: &payload)
            #expect(end.handshakeHash == answer.handshakeHash)
            #expect(payload == [])
            seen.insert(end.handshakeHash.rawBytes)
        }
        #expect(seen.count == 3)
    }

    @Test("A different prologue fails the handshake")
    func prologue() {
        #expect(throws: CryptoFailure.authenticationFailed) {
            _ = try NoisePair(.init(responderPrologue: Array("Prologue".utf8))).messages
        }
    }

    /// What a changed bit may be found as: nothing is said of which check saw it.
    private static let refusals: Set<String> = [
        "\(CryptoFailure.authenticationFailed)", "\(CryptoFailure.weakPublicKey)",
    ]

    @Test("Every changed bit of either message fails the handshake", arguments: TestProvider.all.availableSuites)
    func everyBit(suite: Suite) throws {
        let inputs = NoisePair.Inputs(suite: suite, payloads: [[9, 8], [7, 6, 5]])
        let lengths = try NoisePair(inputs).messages.map(\.count)
        for (number, length) in lengths.enumerated() {
            for bit in 0..<length * 8 {
                let failure = #expect(throws: CryptoFailure.self, "message \(number), bit \(bit)") {
                    _ = try NoisePair(inputs) { index, message in
                        if index == number { message[bit / 8] ^= 1 << UInt8(bit % 8) }
                    }.messages
                }
                #expect(Self.refusals.contains("\(try #require(failure))"))
            }
        }
    }

    @Test("Every prefix of either message is refused", arguments: TestProvider.all.availableSuites)
    func everyPrefix(suite: Suite) throws {
        let inputs = NoisePair.Inputs(suite: suite, payloads: [[9, 8], [7, 6, 5]])
        let lengths = try NoisePair(inputs).messages.map(\.count)
        for (number, length) in lengths.enumerated() {
            for count in 0..<length {
                let expected: CryptoFailure = count < 32 ? .malformedKey : .authenticationFailed
                #expect(throws: expected, "message \(number), \(count) bytes") {
                    _ = try NoisePair(inputs) { index, message in
                        if index == number { message = Array(message[..<count]) }
                    }.messages
                }
            }
        }
    }

    @Test("A low-order ephemeral key is refused by either peer", arguments: [0, 1])
    func lowOrder(number: Int) {
        #expect(throws: CryptoFailure.weakPublicKey) {
            _ = try NoisePair(.init()) { index, message in
                if index == number { message.replaceSubrange(0..<32, with: [UInt8](repeating: 0, count: 32)) }
            }.messages
        }
    }

    @Test("Noise messages have at most 65,535 bytes, the last byte included")
    func messageLength() throws {
        let largest = [
            [UInt8](repeating: 1, count: 65_535 - 32), [UInt8](repeating: 2, count: 65_535 - 48),
        ]
        let pair = try NoisePair(.init(payloads: largest))
        #expect(pair.messages.map(\.count) == [65_535, 65_535])
        let arrived = pair.payloads == largest
        #expect(arrived)
        for number in 0...1 {
            var tooLarge: [[UInt8]] = [[], []]
            tooLarge[number] = largest[number] + [0]
            #expect(throws: CryptoFailure.messageTooLong) { _ = try NoisePair(.init(payloads: tooLarge)).messages }
            #expect(throws: CryptoFailure.messageTooLong) {
                _ = try NoisePair(.init(payloads: largest)) { index, message in
                    if index == number { message.append(0) }
                }.messages
            }
        }
    }

    @Test("A failed handshake appends nothing and leaves no secret behind")
    func failureReleasesSecrets() throws {
        let sodium = try SodiumProvider()
        let crypto = sodium.cryptoProvider(aesGCM: TestProvider.all.aesGCM, bulkDigest: TestProvider.all.bulkDigest)
        for number in 0...1 {
            #expect(throws: CryptoFailure.self) {
                _ = try NoisePair(.init(), initiatorCrypto: crypto, responderCrypto: crypto) { index, message in
                    if index == number { message[5] ^= 1 }
                }.messages
            }
            #expect(sodium.secrets.usage.usedSlots == 0)
            #expect(sodium.secrets.freeSlotsAreZero)
        }
        var random: any RandomSource = SeededRandomSource(seed: 4)
        let start = try NoiseNNInitiator(crypto: crypto, random: &random)
        let awaitingReply = try start.start(suite: .chaChaPoly, prologue: [1].span)
        var payload: [UInt8] = [42]
        let garbage = [UInt8](repeating: 9, count: 64)
        let result = Self.read(garbage, by: awaitingReply, payload: &payload)
        #expect(result == .failure(.authenticationFailed))
        #expect(payload == [42])
        #expect(sodium.secrets.usage.usedSlots == 0)
    }

    private static func read(
        _ message: [UInt8], by state: consuming NoiseNNAwaitingReply, payload: inout [UInt8]
    ) -> Result<Digest, CryptoFailure> {
        do throws(CryptoFailure) {
            return .success(try state.read(message.span, payload: &payload).handshakeHash)
        } catch { return .failure(error) }
    }

    @Test("An open pair of ends holds one locked slot a key of ChaCha20-Poly1305, none of AES-256-GCM, and one for x")
    func memory() throws {
        for (suite, slots) in [(Suite.chaChaPoly, 6), (.aesGCM, 2)] {
            let sodium = try SodiumProvider()
            let crypto = sodium.cryptoProvider(aesGCM: TestProvider.all.aesGCM, bulkDigest: TestProvider.all.bulkDigest)
            let pair = try NoisePair(.init(suite: suite), initiatorCrypto: crypto, responderCrypto: crypto)
            #expect(sodium.secrets.usage.usedSlots == slots)
            #expect(pair.messages.count == 2)
        }
    }
}
