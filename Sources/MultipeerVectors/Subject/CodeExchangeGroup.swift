internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// One peer's part in an attempt with a one-time code (SPEC §25.5).
struct CodeExchangeGroup {
    let crypto: SwiftCrypto
    private var primitives: PairingPrimitives { crypto.sodium.pairing }

    func run(_ params: Arguments, _ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        guard let code = OneTimeCode(typed: try inputs.bytes("code")) else { return .badCode }
        let attempt = try Attempt(code: code, inputs, crypto: crypto)
        do throws(CryptoFailure) {
            return switch try role(params) {
            case .initiator: try typist(attempt)
            case .responder: try presenter(attempt)
            }
        } catch {
            throw .fault("\(error)")
        }
    }

    private func role(_ params: Arguments) throws(CryptoFailure) -> CPaceRole {
        switch try? params.text("role") {
        case "typist": .initiator
        case "presenter": .responder
        default: throw .malformedKey
        }
    }

    private func typist(_ attempt: Attempt) throws(CryptoFailure) -> SubjectAnswer {
        var random: any RandomSource = ReplayedRandomness(attempt.random)
        let side: CPaceInitiator
        do throws(CryptoFailure) {
            side = try CPaceInitiator(
                password: try attempt.code.password(in: primitives.secrets), context: attempt.context,
                associatedData: attempt.data, primitives: primitives, random: &random)
        } catch {
            guard error == .malformedKey else { throw error }
            return .malformedShare([:])
        }
        let own = side.message
        let confirming: CPaceConfirming
        do throws(CryptoFailure) { confirming = try side.receive(attempt.peer) } catch {
            guard error == .malformedKey else { throw error }
            return .malformedShare(["share": .hex(own.share.rawBytes)])
        }
        let confirmation = confirming.confirmation
        do { try confirming.finish(attempt.peerConfirmation) } catch {
            return .codeWrong(["share": .hex(own.share.rawBytes), "confirmation": .hex(confirmation)])
        }
        return .accepted(try shown(attempt, own, confirmation, from: own, and: attempt.peer))
    }

    private func presenter(_ attempt: Attempt) throws(CryptoFailure) -> SubjectAnswer {
        var random: any RandomSource = ReplayedRandomness(attempt.random)
        let side: CPaceResponder
        do throws(CryptoFailure) {
            side = try CPaceResponder(
                answering: attempt.peer, password: try attempt.code.password(in: primitives.secrets),
                context: attempt.context, associatedData: attempt.data, primitives: primitives, random: &random)
        } catch {
            guard error == .malformedKey else { throw error }
            return .malformedShare([:])
        }
        let own = side.message
        let confirmation: [UInt8]
        do { confirmation = try side.confirm(attempt.peerConfirmation) } catch {
            // Nothing of its own confirmation has left it (R25.5-4).
            return .codeWrong(["share": .hex(own.share.rawBytes)])
        }
        return .accepted(try shown(attempt, own, confirmation, from: attempt.peer, and: own))
    }

    /// All that is computed on the way, by the steps apart from the states.
    private func shown(
        _ attempt: Attempt, _ own: CPaceMessage, _ confirmation: [UInt8], from initiator: CPaceMessage,
        and responder: CPaceMessage
    ) throws(CryptoFailure) -> JSONValue {
        var random: any RandomSource = ReplayedRandomness(attempt.random)
        let transcript = CPaceSteps.transcript(initiator, responder)
        let generator = try CPaceSteps.generator(
            try attempt.code.password(in: primitives.secrets), attempt.context, primitives)
        let product = try primitives.group.multiply(
            try primitives.group.makeScalar(random: &random), by: attempt.peer.share)
        let intermediate = try CPaceSteps.intermediateKey(
            product, attempt.context, transcript: transcript, primitives)
        let key = try CPaceSteps.confirmationKey(intermediate, attempt.context, primitives)
        return [
            "sid": .hex(attempt.context.sessionIdentifier.withBytes { [UInt8](copying: $0) }),
            "channel": .hex(attempt.context.channelIdentifier),
            "generator": .secret(generator), "share": .hex(own.share.rawBytes), "product": .secret(product),
            "intermediateKey": .secret(intermediate), "confirmationKey": .secret(key),
            "confirmation": .hex(confirmation),
        ]
    }

    /// What one peer has, and gets from the other.
    private struct Attempt {
        let code: OneTimeCode
        let context: CPaceContext
        let random: [UInt8]
        let data: [UInt8]
        let peer: CPaceMessage
        let peerConfirmation: [UInt8]

        init(code: OneTimeCode, _ inputs: Arguments, crypto: SwiftCrypto) throws(SubjectFault) {
            let export = try LinkExports(inputs, crypto: crypto)
            guard let typist = LinkRole(name: try inputs.text("typist")),
                let share = try? GroupElement(rawBytes: try inputs.bytes("peerShare"))
            else { throw .badQuestion("inputs.typist, inputs.peerShare") }
            let (one, other) = (export.initiator, export.responder)
            self.code = code
            context = CPaceContext(
                sessionIdentifier: try export.secret(CPaceContext.exportLabel),
                typist: typist == .initiator ? one : other, presenter: typist == .initiator ? other : one)
            (random, data) = (try inputs.bytes("random"), try inputs.bytes("data"))
            peer = CPaceMessage(share: share, associatedData: try inputs.bytes("peerData"))
            peerConfirmation = try inputs.bytes("peerConfirmation")
        }
    }
}

extension JSONValue {
    /// The bytes of a secret. For vectors alone.
    fileprivate static func secret(_ secret: borrowing Secret) -> JSONValue {
        .hex(secret.withBytes { [UInt8](copying: $0) })
    }
}

extension SubjectAnswer {
    fileprivate static func malformedShare(_ released: JSONValue) -> SubjectAnswer {
        .rejected(layer: "wire", code: "malformed", expected: released)
    }

    fileprivate static func codeWrong(_ released: JSONValue) -> SubjectAnswer {
        .rejected(layer: "certificates", code: "code_wrong", expected: released)
    }
}
