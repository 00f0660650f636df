import MultipeerCrypto
import MultipeerWire

/// Hellos, keys and proofs (SPEC §7, §9).
extension AttackerPeer {
    /// The lists of an initiator's hello, legal or not.
    struct Offer {
        var versions: [UInt16] = [0x0001]
        var suites: [UInt16] = [0x0001]
        var extensions: [(UInt16, [UInt8])] = []
        /// In place of the three lists, for what no list can say.
        var lists: [UInt8]?
        /// Behind the ephemeral key.
        var rest: [UInt8] = []

        var encoded: [UInt8] {
            lists ?? Craft.values(versions) + Craft.values(suites) + Craft.extensions(extensions)
        }
    }

    /// Sends magic and an initiator's hello.
    func sendHello(_ offer: Offer = Offer()) throws(Interruption) {
        let (toolbox, trick) = (toolbox, trick)
        let noise = try own { () throws(CryptoFailure) in
            var random: any RandomSource = toolbox.random
            return try NoiseNNInitiator(crypto: try trick.crypto(from: toolbox.crypto), random: &random)
        }
        let body = offer.encoded + noise.ephemeralKey.rawBytes + offer.rest
        self.noise = consume noise
        let bytes = Craft.opening(RecordKind.hello.rawValue, body)
        ownPrologue = Array(bytes.dropLast(InitiatorHello.noiseLength))
        try sendRaw(
            bytes, note: "magic, HELLO (versions \(Self.list(offer.versions)), suites \(Self.list(offer.suites)))")
    }

    /// What a responder's hello says, legal or not.
    struct Answer {
        var version: UInt16 = 0x0001
        var suite: UInt16 = 0x0001
        var extensions: [(UInt16, [UInt8])] = []
        /// The suite that is computed with, whatever is said.
        var actual = Suite.chaChaPoly
        /// A bit of the confirmation that is flipped.
        var flippedBit: Int?
        /// Behind the confirmation.
        var rest: [UInt8] = []
        /// Whether magic has gone out before.
        var omitsMagic = false
    }

    /// Answers the live initiator's hello, and has keys then. Whatever is said, the handshake is right for it: a peer that
    /// overlooks a fault comes through.
    func sendAnswer(_ answer: Answer = Answer()) throws(Interruption) {
        let head = Craft.u16(answer.version) + Craft.u16(answer.suite) + Craft.extensions(answer.extensions)
        let length = head.count + ResponderHello.noiseLength + answer.rest.count
        ownPrologue = Magic.bytes + Craft.header(RecordKind.hello.rawValue, length) + head
        let prologue = prologue(initiator: peerPrologue, responder: ownPrologue)
        var message: [UInt8] = []
        do throws(CryptoFailure) {
            var random: any RandomSource = toolbox.random
            let noise = try NoiseNNResponder(
                suite: answer.actual, prologue: prologue.span, crypto: try trick.crypto(from: toolbox.crypto))
            var payload: [UInt8] = []
            let ephemeral = Array(peerHello.suffix(InitiatorHello.noiseLength))
            let replying = try noise.read(ephemeral.span, payload: &payload)
            begin(try replying.write(random: &random, into: &message), answer.actual)
        } catch {
            throw .own(error)
        }
        if let bit = answer.flippedBit { message[32 + bit / 8] ^= 1 << (bit % 8) }
        try sendRaw(
            ownPrologue.dropFirst(answer.omitsMagic ? Magic.bytes.count : 0) + message + answer.rest,
            note: "HELLO (version \(Self.list([answer.version])), suite \(Self.list([answer.suite])))")
    }

    /// The live responder's hello is there: check it, and make the keys (SPEC §9.3).
    func finishHandshake() throws(Interruption) {
        guard role == .initiator, let noise = noise.take() else { return }
        let hello: ResponderHello
        do throws(WireError) {
            hello = try ResponderHello(body: peerHello.span)
        } catch {
            throw .broke(rule: "R3.3-1", "the peer's HELLO does not decode")
        }
        guard let suite = Suite(rawValue: hello.suite), hello.version == 0x0001 else {
            throw .broke(
                rule: "R7.3-1",
                "the peer chose version \(Self.list([hello.version])), suite \(Self.list([hello.suite]))")
        }
        do throws(CryptoFailure) {
            let prologue = prologue(initiator: ownPrologue, responder: peerPrologue)
            let awaiting = try noise.start(suite: suite, prologue: prologue.span)
            var payload: [UInt8] = []
            let message = Array(peerHello.suffix(ResponderHello.noiseLength))
            begin(try awaiting.read(message.span, payload: &payload), suite)
        } catch {
            guard error == .authenticationFailed || error == .weakPublicKey else { throw .own(error) }
            throw .broke(rule: "R9.3-1", "the peer's confirmation does not verify")
        }
    }

    private func prologue(initiator: [UInt8], responder: [UInt8]) -> [UInt8] {
        Array("multipeer/1 prologue".utf8) + [0] + initiator + responder
    }

    private func begin(_ transport: consuming NoiseTransport, _ suite: Suite) {
        handshakeHash = transport.handshakeHash.rawBytes
        self.suite = suite
        sending = consume transport.sending
        receiving = consume transport.receiving
    }

    // MARK: Proofs

    /// The bytes that a proof signs (SPEC §9.5).
    func proofMessage(
        role: StreamRole, hash: [UInt8], key: [UInt8], label: String = "multipeer/1 identity proof"
    ) -> [UInt8] {
        Array(label.utf8) + [0, role.byte] + hash + key
    }

    /// PROOF, an honest one unless said otherwise.
    func proof(
        role: StreamRole? = nil, hash: [UInt8]? = nil, showing key: [UInt8]? = nil,
        label: String = "multipeer/1 identity proof"
    ) throws(Interruption) -> (key: [UInt8], signature: [UInt8]) {
        let key = key ?? identity.identityKey.rawBytes
        let message = proofMessage(
            role: role ?? self.role, hash: hash ?? handshakeHash, key: key, label: label)
        let identity = identity
        return (key, try own { () throws(CryptoFailure) in try identity.sign(message.span) })
    }

    func sendProof() throws(Interruption) {
        let proof = try proof()
        try send(Craft.proof(proof.key, proof.signature))
    }

    /// Checks the live peer's PROOF.
    func note(proof frame: Frame) throws(Interruption) {
        guard let proof = try? Proof(payload: frame.payload.span),
            let key = try? IdentityKey(rawBytes: proof.identityKey)
        else { throw .broke(rule: "R9.5-1", "the peer's PROOF does not decode") }
        let message = proofMessage(role: role.other, hash: handshakeHash, key: proof.identityKey)
        guard toolbox.crypto.signatures.isValid(proof.signature.span, of: message.span, by: key) else {
            throw .broke(rule: "R9.5-2", "the peer's PROOF does not verify")
        }
        guard frame.recordLength <= 1_024 else {
            throw .broke(rule: "R19-2", "the record that holds the peer's PROOF has \(frame.recordLength) bytes")
        }
        peerProof = proof
    }

    static func list(_ values: [UInt16]) -> String {
        values.map { String($0, radix: 16) }.map { "0x" + String(repeating: "0", count: 4 - $0.count) + $0 }
            .joined(separator: " ")
    }
}
