@_spi(Observation) internal import MultipeerCore
internal import MultipeerCrypto
internal import MultipeerWire

/// The peer's side of a handshake, computed step by step from the primitives (Noise §5, SPEC §9), so that every step can
/// be another than it should be.
struct NoiseForge {
    let crypto: SwiftCrypto

    /// What a handshake gives.
    struct Outcome: Sendable {
        var handshakeHash: [UInt8]
        var confirmation: [UInt8]
        var initiatorKey: [UInt8]
        var responderKey: [UInt8]
    }

    /// Runs NN. `algorithm` is the AEAD, `suite` gives the name; they differ in faulty peers only.
    func run(
        suite: Suite, algorithm: Suite? = nil, prologue: [UInt8], initiatorKey: [UInt8], responderKey: [UInt8],
        shared: [UInt8]
    ) throws(CryptoFailure) -> Outcome {
        let name = Array(suite.noiseProtocolName.utf8)
        var h = name + [UInt8](repeating: 0, count: 32 - name.count)
        let ck = h
        // prologue; e, and the empty payload of message 1; e of message 2
        for data in [prologue, initiatorKey, [], responderKey] { h = mixHash(h, data) }
        let first = try derive(ck, shared)
        let confirmation = try seal(
            algorithm ?? suite, key: first.1, counter: 0, associatedData: h, plaintext: [])
        h = mixHash(h, confirmation)
        let split = try derive(first.0, [])
        return Outcome(
            handshakeHash: h, confirmation: confirmation, initiatorKey: split.0, responderKey: split.1)
    }

    /// X25519.
    func agree(_ privateKey: [UInt8], _ publicKey: [UInt8]) throws(CryptoFailure) -> [UInt8] {
        let key = try crypto.provider.agreement.makePrivateKey(rawBytes: privateKey.span)
        let shared = try crypto.provider.agreement.agree(key, with: try AgreementPublicKey(rawBytes: publicKey))
        return shared.withBytes { [UInt8](copying: $0) }
    }

    /// AEAD(k, n, ad, plaintext), with the tag behind.
    func seal(
        _ suite: Suite, key: [UInt8], counter: UInt64, associatedData: [UInt8], plaintext: [UInt8]
    ) throws(CryptoFailure) -> [UInt8] {
        var cipher = try crypto.cipher(suite, key: key, counter: counter)
        var buffer = associatedData + plaintext + [UInt8](repeating: 0, count: aeadTagLength)
        let start = associatedData.count
        var span = buffer.mutableSpan
        try cipher.seal(&span, associatedData: 0..<start, plaintext: start..<start + plaintext.count)
        return Array(buffer[start...])
    }

    private func mixHash(_ h: [UInt8], _ data: [UInt8]) -> [UInt8] {
        crypto.provider.hashing.hash(h.span, data.span).rawBytes
    }

    private func derive(_ ck: [UInt8], _ material: [UInt8]) throws(CryptoFailure) -> ([UInt8], [UInt8]) {
        let secret = try crypto.provider.secrets.makeSecret(copying: ck.span)
        let pair = try crypto.provider.hashing.deriveKeys(chainingKey: secret, inputKeyMaterial: material.span)
        let first = pair.first.withBytes { [UInt8](copying: $0) }
        let second = pair.second.withBytes { [UInt8](copying: $0) }
        return (first, second)
    }
}

/// A peer's hello.
struct NoisePeer {
    let samples: Samples

    /// A responder's opening, and what the handshake gives.
    struct Reply: Sendable {
        var opening: [UInt8]
        var outcome: NoiseForge.Outcome
    }

    /// Answers an initiator's opening.
    /// - Parameters:
    ///   - algorithm: the AEAD that is really used.
    ///   - publicKey: what is sent in place of the private key's public key.
    func reply(
        to opening: [UInt8], suite: Suite, algorithm: Suite? = nil, privateKey: [UInt8], publicKey: [UInt8]? = nil
    ) throws -> Reply {
        let forge = NoiseForge(crypto: samples.crypto)
        let own = try publicKey ?? samples.publicKey(privateKey)
        let theirs = Array(opening.suffix(InitiatorHello.noiseLength))
        let front = Wire.u16(1) + Wire.u16(suite.rawValue) + [0]
        let head = Magic.bytes + [0x01] + Wire.u16(UInt16(front.count + ResponderHello.noiseLength)) + front
        let blank = head + [UInt8](repeating: 0, count: ResponderHello.noiseLength)
        let outcome = try forge.run(
            suite: suite, algorithm: algorithm,
            prologue: VectorAccess.prologue(initiatorOpening: opening, responderOpening: blank),
            initiatorKey: theirs, responderKey: own, shared: try forge.agree(privateKey, theirs))
        return Reply(opening: head + own + outcome.confirmation, outcome: outcome)
    }

    /// Takes a responder's opening.
    func finish(
        opening: [UInt8], reply: [UInt8], suite: Suite, privateKey: [UInt8]
    ) throws -> NoiseForge.Outcome {
        let forge = NoiseForge(crypto: samples.crypto)
        let theirs = Array(reply.suffix(ResponderHello.noiseLength).prefix(32))
        return try forge.run(
            suite: suite, prologue: VectorAccess.prologue(initiatorOpening: opening, responderOpening: reply),
            initiatorKey: Array(opening.suffix(InitiatorHello.noiseLength)), responderKey: theirs,
            shared: try forge.agree(privateKey, theirs))
    }
}
