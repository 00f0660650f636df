import FuzzSupport
import MultipeerCore
import MultipeerCrypto
import MultipeerWire

/// The identity that a link believes its peer to have, checked again with nothing but SPEC §9, the bytes on the wire,
/// and what was in the records: also where tags are worth nothing.
enum IdentityOracle {
    /// What the first protected records of a peer say.
    private struct Claim {
        let key: [UInt8]
        let signature: [UInt8]
        /// Of PEER_INFO, if it came.
        var name: [UInt8]?
    }

    static func check(_ side: borrowing HandshakeSide) throws {
        let visible = side.visible
        guard !visible.isEmpty else { return }
        guard let claim = claim(side.effects) else {
            throw OracleFailure("\(side.role) showed \(visible) to its app before any PROOF")
        }
        let setting = side.setting
        let (ours, theirs) = (side.sent, side.received)
        let isInitiator = side.role == .initiator
        let openings = isInitiator ? (opening(ours), opening(theirs)) : (opening(theirs), opening(ours))
        let suite = try ModelHello.Responder(Array(openings.1.dropFirst(11))).suite
        let hash = ModelTranscript.handshakeHash(initiator: openings.0, responder: openings.1, suite: suite)
        let own = setting.persona(side.role).identity(setting.crypto).identityKey
        let message = ModelTranscript.signedBytes(
            role: side.role.peer.byte, hash: hash, key: claim.key, other: own.rawBytes)
        let key = try IdentityKey(rawBytes: claim.key)
        let verifier = setting.crypto.provider.signatures
        try require(
            verifier.isValid(claim.signature.span, of: message.span, by: key),
            "\(side.role) believes \(key), who did not sign (R9.5-2)")
        try require(key != own, "\(side.role) met itself (R9.5-3)")
        if isInitiator, setting.expectation != .anyone {
            let expected = setting.expectation == .responder ? setting.persona(.responder) : .eve
            try requireEqual(key, expected.identity(setting.crypto).identityKey, "not the peer that was expected")
        }
        guard let name = claim.name else { throw OracleFailure("\(side.role) showed a name before PEER_INFO") }
        for effect in visible { try check(effect, key, String(decoding: name, as: UTF8.self), hash, suite) }
    }

    private static func check(
        _ effect: SeenEffect, _ key: IdentityKey, _ name: String, _ hash: [UInt8], _ suite: UInt16
    ) throws {
        if let shown = effect.key { try requireEqual(shown, key, "the key that the app is shown in \(effect.kind)") }
        if let shown = effect.name { try requireEqual(shown, name, "the name that the app is shown in \(effect.kind)") }
        guard let summary = effect.summary else { return }
        try requireEqual(summary.handshakeHash.rawBytes, hash, "the handshake hash (SPEC §9.3)")
        try requireEqual(summary.suite.rawValue, suite, "the suite of the session")
    }

    /// Magic and first record.
    private static func opening(_ stream: [UInt8]) -> [UInt8] {
        guard stream.count >= 11 else { return stream }
        return Array(stream.prefix(11 + Int(stream[9]) * 256 + Int(stream[10])))
    }

    /// PROOF, the first frame of all, and the PEER_INFO after it.
    private static func claim(_ effects: [SeenEffect]) -> Claim? {
        var frames: [ModelFrames.Frame] = []
        for case let entry? in effects.map(\.trace) where entry.direction == .received && entry.counter != nil {
            frames += ModelFrames(entry.plaintext.span).frames
        }
        guard let proof = frames.first, proof.type == 0x02, proof.payload.count == 96 else { return nil }
        var claim = Claim(key: Array(proof.payload.prefix(32)), signature: Array(proof.payload.suffix(64)))
        if let info = frames.first(where: { $0.type == 0x04 }) {
            claim.name = Array(info.payload.dropFirst().prefix(Int(info.payload.first ?? 0)))
        }
        return claim
    }
}
