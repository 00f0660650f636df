internal import MultipeerCrypto
internal import MultipeerSodium
internal import MultipeerWire

/// Short strings, and the form of one-time codes: SPEC §25.3, §25.4.
struct PairingGroups {
    let crypto: SwiftCrypto

    func shortString(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        let export = try LinkExports(inputs, crypto: crypto)
        let context = ShortStringContext(
            stringKey: try export.secret(ShortStringContext.exportLabel),
            initiator: export.initiator, responder: export.responder)
        let commitment = try inputs.bytes("commitment")
        let (initiatorNonce, responderNonce) = (try inputs.bytes("initiatorNonce"), try inputs.bytes("responderNonce"))
        let string: ShortAuthenticationString
        do throws(CryptoFailure) {
            var random: any RandomSource = ReplayedRandomness(responderNonce)
            let responder = try ShortStringResponder(
                answering: commitment, context: context, primitives: crypto.sodium.pairing, random: &random)
            string = try responder.receive(initiatorNonce)
        } catch {
            guard error == .authenticationFailed else { throw .fault("\(error)") }
            return .rejected(layer: "certificates", code: "commitment_invalid", expected: [:])
        }
        try asInitiator(context, commitment, initiatorNonce, responderNonce, string)
        return .accepted([
            "stringKey": .hex(context.stringKey.withBytes { [UInt8](copying: $0) }), "digits": .string(string.digits),
            "words": .array(string.words.map(JSONValue.string)),
        ])
    }

    /// The remote peer comes to the same commitment and string.
    private func asInitiator(
        _ context: ShortStringContext, _ commitment: [UInt8], _ nonce: [UInt8], _ responderNonce: [UInt8],
        _ string: ShortAuthenticationString
    ) throws(SubjectFault) {
        var random: any RandomSource = ReplayedRandomness(nonce)
        let revealed: ShortStringInitiator.Revealed
        let made: [UInt8]
        do throws(CryptoFailure) {
            let initiator = try ShortStringInitiator(
                context: context, primitives: crypto.sodium.pairing, random: &random)
            made = initiator.commitment
            revealed = try initiator.reveal(to: responderNonce)
        } catch { throw .fault("\(error)") }
        try WireGroups.requireSame(made, commitment)
        guard revealed.nonce == nonce, revealed.string == string else { throw .inconsistent("the initiator's string") }
    }

    func oneTimeCode(_ inputs: Arguments) throws(SubjectFault) -> SubjectAnswer {
        guard let code = OneTimeCode(typed: try inputs.bytes("text")) else { return .badCode }
        return .accepted([
            "number": .integer(code.number), "words": .array(code.words.map(JSONValue.string)),
            "normalForm": .string(code.normalForm),
        ])
    }
}

/// What a link exports, from what Split() has given (SPEC §9.8).
struct LinkExports {
    let initiator: IdentityKey
    let responder: IdentityKey
    private let hash: Digest
    private let key: [UInt8]
    private let crypto: SwiftCrypto

    init(_ inputs: Arguments, crypto: SwiftCrypto) throws(SubjectFault) {
        guard let hash = try? Digest(rawBytes: try inputs.bytes("handshakeHash")),
            let initiator = try? IdentityKey(rawBytes: try inputs.bytes("initiatorKey")),
            let responder = try? IdentityKey(rawBytes: try inputs.bytes("responderKey"))
        else { throw .badQuestion("inputs") }
        (self.hash, self.initiator, self.responder, self.crypto) = (hash, initiator, responder, crypto)
        key = try inputs.bytes("exporterKey")
    }

    /// The 32 bytes of a label.
    func secret(_ label: [UInt8]) throws(SubjectFault) -> SharedSecret {
        do {
            let exporter = try Exporter(
                material: try crypto.provider.secrets.makeSecret(copying: key.span), handshakeHash: hash,
                initiator: initiator, responder: responder, hashing: crypto.provider.hashing)
            return SharedSecret(try exporter.secret(label: label, context: []))
        } catch { throw .fault("\(error)") }
    }
}

extension SubjectAnswer {
    /// Text without a normal form: nothing is sent.
    static var badCode: SubjectAnswer { .rejected(layer: "any", code: "bad_code", expected: [:]) }
}
