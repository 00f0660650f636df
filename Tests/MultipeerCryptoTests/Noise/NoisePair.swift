import MultipeerCrypto
import MultipeerTestSupport
import MultipeerWire

/// Both parties of one `NN` handshake in one process, with everything that went between them.
struct NoisePair: ~Copyable {
    var initiator: NoiseTransport
    var responder: NoiseTransport
    let messages: [[UInt8]]
    let payloads: [[UInt8]]

    struct Inputs {
        var suite = Suite.chaChaPoly
        var initiatorPrologue = Array("prologue".utf8)
        var responderPrologue = Array("prologue".utf8)
        var initiatorEphemeral = (1...32).map { UInt8($0) }
        var responderEphemeral = (33...64).map { UInt8($0) }
        /// d ‖ z, of a hybrid suite.
        var seed = (1...64).map { UInt8($0) }
        var payloads: [[UInt8]] = [[], []]
    }

    /// Runs the handshake. `tamper` may change each message on its way (its number and its bytes).
    init(
        _ inputs: Inputs, initiatorCrypto: CryptoProvider = TestProvider.all,
        responderCrypto: CryptoProvider = TestProvider.all,
        tamper: (Int, inout [UInt8]) -> Void = { _, _ in }
    ) throws {
        var received: [[UInt8]] = [[], []]

        let (firstPayload, secondPayload) = (inputs.payloads[0], inputs.payloads[1])

        // → e
        let hybrid = inputs.suite.isHybrid ? try Self.keyPair(inputs.seed, initiatorCrypto) : nil
        let start = try NoiseNNInitiator(
            crypto: initiatorCrypto, ephemeral: Self.key(inputs.initiatorEphemeral), hybrid: hybrid)
        let made = try start.encapsulationKey.flatMap { try responderCrypto.keyEncapsulation?.encapsulate(to: $0) }
        var first = start.ephemeralKey.rawBytes + firstPayload
        let awaitingReply = try start.start(
            suite: inputs.suite, prologue: inputs.initiatorPrologue.span, payload: firstPayload.span)
        tamper(0, &first)

        // ← e, ee
        let waiting = try NoiseNNResponder(
            suite: inputs.suite, prologue: inputs.responderPrologue.span, crypto: responderCrypto)
        let replying = try waiting.read(first.span, payload: &received[0])
        var second: [UInt8] = []
        let responder = try replying.write(
            payload: secondPayload.span, ephemeral: Self.key(inputs.responderEphemeral), encapsulated: made?.secret,
            into: &second)
        tamper(1, &second)
        let initiator = try awaitingReply.read(second.span, ciphertext: made?.ciphertext, payload: &received[1])

        self.initiator = initiator
        self.responder = responder
        messages = [first, second]
        payloads = received
    }

    private static func keyPair(_ seed: [UInt8], _ crypto: CryptoProvider) throws -> EncapsulationKeyPair {
        try EncapsulationKeyPair(seed: TestProvider.secret(seed), crypto: crypto)
    }

    static func key(_ bytes: [UInt8]) throws -> AgreementPrivateKey {
        try TestProvider.all.agreement.makePrivateKey(rawBytes: bytes.span)
    }
}

extension CipherState {
    /// Seals one message without associated data.
    mutating func seal(_ plaintext: [UInt8], associatedData: [UInt8] = []) throws -> [UInt8] {
        var buffer = associatedData + plaintext + [UInt8](repeating: 0, count: aeadTagLength)
        var bytes = buffer.mutableSpan
        try seal(
            &bytes, associatedData: 0..<associatedData.count,
            plaintext: associatedData.count..<associatedData.count + plaintext.count)
        return Array(buffer[associatedData.count...])
    }

    /// Opens one message.
    mutating func open(_ sealed: [UInt8], associatedData: [UInt8] = []) throws -> [UInt8] {
        var plaintext: [UInt8] = []
        try plaintext.append(addingCapacity: sealed.count) { (output: inout OutputSpan<UInt8>) throws(CryptoFailure) in
            try open(sealed.span, associatedData: associatedData.span, into: &output)
        }
        return plaintext
    }
}
