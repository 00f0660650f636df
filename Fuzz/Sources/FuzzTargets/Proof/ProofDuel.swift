import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerScriptedPeer
import MultipeerSodium
import MultipeerTesting
import MultipeerWire

/// An honest link, and an attacker that has a channel with it and shows any PROOF (SPEC §9.5, §9.6).
struct ProofDuel {
    /// What R9.5-6 makes of a PROOF.
    enum Judgement: Equatable {
        case malformed, limitExceeded, ownIdentity, proofInvalid, unexpectedIdentity
        case proved(IdentityKey)

        /// What the peer hears (SPEC §18).
        var code: UInt64? {
            switch self {
            case .malformed: 0x01
            case .limitExceeded: 0x05
            case .proofInvalid: 0x0A
            case .unexpectedIdentity: 0x0B
            case .ownIdentity: 0x0C
            case .proved: nil
            }
        }
    }

    let duel: Duel
    private let crypto: CryptoKind
    private let expected: IdentityKey?
    private var own: IdentityKey { duel.honestKey }

    /// The honest peer is Anna; the other is Eve, who has Ben's key as well.
    init(_ flags: UInt8, _ crypto: CryptoKind) throws {
        self.crypto = crypto
        let role: LinkRole = flags & 1 == 0 ? .responder : .initiator
        let wishes: [Persona?] = [nil, nil, .eve, .ben]
        expected = role == .initiator ? wishes[Int(flags >> 1 & 3)]?.identity(crypto).identityKey : nil
        var configuration = Persona.anna.configuration(crypto)
        configuration.expectedPeer = expected
        let start = Instant(nanoseconds: 1_000_000_000)
        let link = Link(role: role, configuration: configuration, random: SeededRandomSource(seed: 1), now: start)
        let evil = ScriptedPeer(
            role: role.peer.stream, identity: Persona.eve.identity(crypto), crypto: crypto.provider,
            random: SeededRandomSource(seed: 2))
        duel = Duel(
            honest: SimulatedPeer(link: link, script: .passive), key: configuration.identity.identityKey, evil: evil,
            now: start)
        try duel.shakeHands(suite: flags & 8 == 0 ? .chaChaPoly : .aesGCM)
    }

    /// Shows the payload, and then a name.
    func show(_ payload: [UInt8]) throws {
        let judgement = try judge(payload)
        try duel.evil.send(WireBytes.frame(.proof, payload))
        try duel.exchange()
        try requireEqual(duel.evil.closeCode?.rawValue, judgement.code, "the code for \(judgement)")
        if case .proved(let key) = judgement {
            try checkProved(key, payload)
        } else {
            try checkRefused(judgement)
        }
    }

    /// R9.5-6, by libsodium itself over the bytes of SPEC §9.5.
    private func judge(_ payload: [UInt8]) throws -> Judgement {
        // R19-2: header of the record, type and length of the frame, tag.
        if 3 + 1 + 2 + payload.count + 16 > 1_024 { return .limitExceeded }
        guard payload.count == 96 else { return .malformed }
        let key = try IdentityKey(rawBytes: Array(payload.prefix(32)))
        guard duel.evil.suite != nil else { throw OracleFailure("no channel") }
        let signed = ModelTranscript.signedBytes(
            role: duel.evil.role.byte, hash: duel.evil.handshakeHash, key: key.rawBytes,
            other: own.rawBytes)
        let signature = Array(payload.suffix(64))
        guard FuzzCrypto.sodium.signatures.isValid(signature.span, of: signed.span, by: key) else {
            return .proofInvalid
        }
        if key == own { return .ownIdentity }
        return expected == nil || expected == key ? .proved(key) : .unexpectedIdentity
    }

    private func checkRefused(_ judgement: Judgement) throws {
        guard let cause = duel.cause else { throw OracleFailure("\(judgement), and no failure in \(duel.stage)") }
        let seen: Judgement? =
            switch cause {
            case .malformed: .malformed
            case .violation(.limitExceeded): .limitExceeded
            case .violation(.ownIdentity): .ownIdentity
            case .violation(.proofInvalid): .proofInvalid
            case .violation(.unexpectedIdentity): .unexpectedIdentity
            default: nil
            }
        try requireEqual(seen, judgement, "what the app is told")
        try requireEqual(duel.effects.count, 1, "effects")
        try requireEqual(duel.failure?.stage, .proof, "stage")
        let isInitiator = duel.evil.role == .responder
        try requireEqual(duel.evil.sentTypes, isInitiator ? [.close] : [.proof, .close], "what was sent (R9.5-1)")
    }

    private func checkProved(_ key: IdentityKey, _ payload: [UInt8]) throws {
        let honest = try [Persona.eve, .ben].map { persona in
            let proof = try duel.evil.proof(by: persona.identity(crypto))
            return proof.identityKey + proof.signature
        }
        // Two signatures of one message by one key would be a flaw of Ed25519 as SPEC §9.6 has it.
        try require(honest.contains(payload), "a proof that nobody signed: \(payload)")
        try requireEqual(duel.effects.count, 0, "effects before PEER_INFO")
        try requireEqual(duel.stage, .info, "stage")
        try duel.evil.send(duel.evil.peerInfo())
        try duel.exchange()
        guard duel.effects.count == 1, case .identified(let peer) = duel.effects[0] else {
            throw OracleFailure("not identified, but \(duel.effects)")
        }
        try requireEqual(peer.key, key, "who was identified")
        try requireEqual(peer.displayName?.description, "Eve", "the name")
        try requireEqual(duel.evil.sentTypes, [.proof, .peerInfo], "what was sent (R8.1-1)")
        try duel.evil.send(WireBytes.frame(.proof, payload))
        try duel.exchange()
        try requireEqual(duel.cause, .violation(.unexpectedFrame(0x02)), "a second PROOF (R9.5-5)")
    }
}
