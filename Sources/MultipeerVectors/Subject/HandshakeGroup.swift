@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerTesting
internal import MultipeerWire

/// The Noise handshake with every intermediate (SPEC §9.1–9.4).
struct HandshakeGroup {
    let crypto: SwiftCrypto

    /// Names of the steps in vectors, in order.
    private static func stepNames(of suite: Suite) -> [String] {
        ["start", "prologue", "-> e", "-> payload", "<- e", "<- ee"] + (suite.isHybrid ? ["<- kem"] : [])
            + ["<- payload"]
    }

    /// Judged by the responder if the inputs lack the initiator's key, and by the initiator otherwise; where both keys
    /// are there, both peers must get the same.
    func run(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        guard let suite = Suite(rawValue: UInt16(truncatingIfNeeded: try params.number("suite"))) else {
            return .unimplemented
        }
        let (one, other) = (try inputs.bytes("initiatorOpening"), try inputs.bytes("responderOpening"))
        let prefix = Magic.bytes.count + RecordHeader.length
        guard [one, other].allSatisfy(Self.isOpening) else { throw .badQuestion("inputs: openings") }
        let exchange: Exchange
        do {
            let first = try InitiatorHello(body: Array(one.dropFirst(prefix)).span)
            let second = try ResponderHello(body: Array(other.dropFirst(prefix)).span)
            exchange = Exchange(
                suite: suite, prologue: VectorAccess.prologue(initiatorOpening: one, responderOpening: other),
                message1: first.ephemeral, message2: second.ephemeral + second.confirmation,
                ciphertext: suite.isHybrid ? second.ciphertext : nil)
            if suite.isHybrid { try requireShares(first, second, inputs) }
        } catch let error as WireError {
            return .rejected(error)
        } catch let fault as SubjectFault {
            throw fault
        } catch {
            throw .inconsistent("\(error)")
        }
        try requirePublicKey("initiator", inputs, is: exchange.message1)
        try requirePublicKey("responder", inputs, is: Array(exchange.message2.prefix(32)))
        guard inputs.has("initiatorEphemeralPrivate") else {
            return try responds(exchange, inputs)
        }
        let answer = try initiates(exchange, inputs)
        if case .accepted = answer, inputs.has("responderEphemeralPrivate") {
            let other = try responds(exchange, inputs)
            guard other == answer else { throw .inconsistent("the responder gets another handshake") }
        }
        return answer
    }

    /// Magic and a whole HELLO record.
    private static func isOpening(_ bytes: [UInt8]) -> Bool {
        var assembler = RecordAssembler(expecting: .hello)
        var offset = 0
        guard case .inInput? = try? assembler.next(bytes.span, from: &offset) else { return false }
        return offset == bytes.count
    }

    /// An opening carries the public key of the private one that is given for its peer: otherwise it is not that
    /// peer's.
    private func requirePublicKey(
        _ side: String, _ inputs: Arguments, is publicKey: [UInt8]
    ) throws(SubjectFault) {
        let name = side + "EphemeralPrivate"
        guard inputs.has(name) else { return }
        let key = try inputs.bytes(name)
        let made = try? crypto.provider.agreement.publicKey(
            of: crypto.provider.agreement.makePrivateKey(rawBytes: key.span))
        guard made?.rawBytes == publicKey else { throw .badQuestion("inputs.\(side)Opening") }
    }

    /// The openings of a hybrid suite carry what belongs to it (SPEC §7.6).
    private func requireShares(
        _ first: InitiatorHello, _ second: ResponderHello, _ inputs: Arguments
    ) throws(SubjectFault) {
        guard let key = try? first.encapsulationKey() else { throw .badQuestion("inputs.initiatorOpening") }
        guard second.ciphertext?.count == HybridShare.ciphertextLength else {
            throw .badQuestion("inputs.responderOpening")
        }
        guard inputs.has("initiatorKemSeed") else { return }
        let made = try? keyPair(try inputs.bytes("initiatorKemSeed")).encapsulationKey
        guard made == key else { throw .badQuestion("inputs.initiatorKemSeed") }
    }

    private func keyPair(_ seed: [UInt8]) throws(CryptoFailure) -> EncapsulationKeyPair {
        try EncapsulationKeyPair(
            seed: try crypto.provider.secrets.makeSecret(copying: seed.span), crypto: crypto.provider)
    }

    private struct Exchange {
        let suite: Suite
        let prologue: [UInt8]
        let message1: [UInt8]
        let message2: [UInt8]
        let ciphertext: [UInt8]?
    }

    private func initiates(_ exchange: Exchange, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let recorder = NoiseRecorder()
        let key = try inputs.bytes("initiatorEphemeralPrivate")
        let seed = exchange.suite.isHybrid ? try inputs.bytes("initiatorKemSeed") : nil
        do throws(CryptoFailure) {
            let ephemeral = try crypto.provider.agreement.makePrivateKey(rawBytes: key.span)
            let hybrid = if let seed { try keyPair(seed) } else { EncapsulationKeyPair?.none }
            let initiator = try NoiseNNInitiator(
                crypto: recorder.recording(crypto.provider), ephemeral: ephemeral, hybrid: hybrid)
            let waiting = try initiator.start(suite: exchange.suite, prologue: exchange.prologue.span)
            var payload: [UInt8] = []
            let transport = try waiting.read(
                exchange.message2.span, ciphertext: exchange.ciphertext, payload: &payload)
            let hash = transport.handshakeHash
            return .accepted(shown(exchange, recorder, hash))
        } catch {
            return .failed
        }
    }

    /// Message 2 is made again: a responder is not asked about one that it did not make.
    private func responds(_ exchange: Exchange, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let key = try inputs.bytes("responderEphemeralPrivate")
        let secret = exchange.suite.isHybrid ? try inputs.bytes("responderKemSecret") : nil
        guard let answer = response(exchange, key: key, encapsulated: secret) else {
            throw .badQuestion("inputs.responderOpening")
        }
        return answer
    }

    /// nil where message 2 is another.
    private func response(_ exchange: Exchange, key: [UInt8], encapsulated: [UInt8]?) -> SubjectAnswer? {
        let recorder = NoiseRecorder()
        do throws(CryptoFailure) {
            let ephemeral = try crypto.provider.agreement.makePrivateKey(rawBytes: key.span)
            let responder = try NoiseNNResponder(
                suite: exchange.suite, prologue: exchange.prologue.span, crypto: recorder.recording(crypto.provider))
            var payload: [UInt8] = []
            let replying = try responder.read(exchange.message1.span, payload: &payload)
            var message: [UInt8] = []
            let nothing: [UInt8] = []
            let secret =
                if let encapsulated { try SharedSecret(copying: encapsulated, in: crypto.provider.secrets) } else {
                    SharedSecret?.none
                }
            let transport = try replying.write(
                payload: nothing.span, ephemeral: ephemeral, encapsulated: secret, into: &message)
            let hash = transport.handshakeHash
            guard message == exchange.message2 else { return nil }
            return .accepted(shown(exchange, recorder, hash))
        } catch {
            return .failed
        }
    }

    private func shown(_ exchange: Exchange, _ recorder: NoiseRecorder, _ hash: Digest) -> JSONValue {
        let states: [JSONValue] = zip(Self.stepNames(of: exchange.suite), recorder.snapshots).map { name, state in
            .members([
                "after": .string(name), "h": .hex(state.handshakeHash), "ck": .hex(state.chainingKey),
                "k": state.cipherKey.map(JSONValue.hex),
                "n": state.cipherKey == nil ? nil : .integer(Int(state.nonce)),
            ])
        }
        let keys = recorder.splitKeys
        return [
            "prologue": .hex(exchange.prologue), "message1": .hex(exchange.message1),
            "message2": .hex(exchange.message2), "states": .array(states), "handshakeHash": .hex(hash.rawBytes),
            "initiatorKey": .hex(keys?.initiatorToResponder ?? []),
            "responderKey": .hex(keys?.responderToInitiator ?? []),
            "exporterKey": .hex(recorder.exporterMaterial ?? []),
        ]
    }
}

extension SubjectAnswer {
    fileprivate static var failed: SubjectAnswer {
        .rejected(layer: "handshake", code: "handshake_failed", expected: [:])
    }
}
