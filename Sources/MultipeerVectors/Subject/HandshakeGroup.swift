internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// The Noise handshake with every intermediate (SPEC §9.1–9.4).
struct HandshakeGroup {
    let crypto: SwiftCrypto

    /// Names of the steps in vectors, in order.
    private static let stepNames = ["start", "prologue", "-> e", "-> payload", "<- e", "<- ee", "<- payload"]

    /// Judged by the responder if the inputs lack the initiator's key, and by the initiator otherwise; where both keys are
    /// there, both sides must get the same.
    func run(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        guard let suite = Suite(rawValue: UInt16(truncatingIfNeeded: try params.number("suite"))) else {
            return .unimplemented
        }
        let (one, other) = (try inputs.bytes("initiatorOpening"), try inputs.bytes("responderOpening"))
        let prefix = Magic.bytes.count + RecordHeader.length
        let exchange: Exchange
        do {
            let first = try InitiatorHello(body: Array(one.dropFirst(prefix)).span)
            let second = try ResponderHello(body: Array(other.dropFirst(prefix)).span)
            exchange = Exchange(
                suite: suite.noise, prologue: VectorAccess.prologue(initiatorOpening: one, responderOpening: other),
                message1: first.ephemeral, message2: second.ephemeral + second.confirmation)
        } catch { return .rejected(error) }
        guard inputs.has("initiatorEphemeralPrivate") else {
            return try responds(exchange, key: try inputs.bytes("responderEphemeralPrivate"))
        }
        let answer = try initiates(exchange, key: try inputs.bytes("initiatorEphemeralPrivate"))
        if case .accepted = answer, inputs.has("responderEphemeralPrivate") {
            let other = try responds(exchange, key: try inputs.bytes("responderEphemeralPrivate"))
            guard other == answer else { throw .inconsistent("the responder gets another handshake") }
        }
        return answer
    }

    private struct Exchange {
        let suite: NoiseSuite
        let prologue: [UInt8]
        let message1: [UInt8]
        let message2: [UInt8]
    }

    private func initiates(_ exchange: Exchange, key: [UInt8]) throws(SubjectFault) -> SubjectAnswer {
        let recorder = NoiseRecorder()
        do throws(CryptoFailure) {
            let ephemeral = try crypto.roles.agreement.makePrivateKey(rawBytes: key.span)
            let initiator = try NoiseNNInitiator(roles: recorder.recording(crypto.roles), ephemeral: ephemeral)
            guard initiator.ephemeralKey.rawBytes == exchange.message1 else { return .failed }
            let waiting = try initiator.start(suite: exchange.suite, prologue: exchange.prologue.span)
            var payload: [UInt8] = []
            let transport = try waiting.read(exchange.message2.span, payload: &payload)
            let hash = transport.handshakeHash
            return .accepted(shown(exchange, recorder, hash))
        } catch {
            return .failed
        }
    }

    /// Message 2 is made again and must be the same, unless the vector has another on purpose.
    private func responds(_ exchange: Exchange, key: [UInt8]) throws(SubjectFault) -> SubjectAnswer {
        let recorder = NoiseRecorder()
        do throws(CryptoFailure) {
            let ephemeral = try crypto.roles.agreement.makePrivateKey(rawBytes: key.span)
            let responder = try NoiseNNResponder(
                suite: exchange.suite, prologue: exchange.prologue.span, roles: recorder.recording(crypto.roles))
            var payload: [UInt8] = []
            let replying = try responder.read(exchange.message1.span, payload: &payload)
            var message: [UInt8] = []
            let nothing: [UInt8] = []
            let transport = try replying.write(payload: nothing.span, ephemeral: ephemeral, into: &message)
            let hash = transport.handshakeHash
            guard message == exchange.message2 else { return .failed }
            return .accepted(shown(exchange, recorder, hash))
        } catch {
            return .failed
        }
    }

    private func shown(_ exchange: Exchange, _ recorder: NoiseRecorder, _ hash: Digest) -> JSONValue {
        let states: [JSONValue] = zip(Self.stepNames, recorder.snapshots).map { name, state in
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
        ]
    }
}

extension SubjectAnswer {
    fileprivate static var failed: SubjectAnswer {
        .rejected(layer: "handshake", code: "handshake_failed", expected: [:])
    }
}
