import MultipeerCrypto

/// The bytes that an identity key signs (SPEC §9.5).
enum ProofMessage {
    /// What the responder signs, before it knows the initiator's key: label ‖ 0 ‖ 1 ‖ handshake hash ‖ its key.
    static func responder(_ key: IdentityKey, handshakeHash: Digest) -> [UInt8] {
        front(.responder, handshakeHash) + key.rawBytes
    }

    /// What the initiator signs: label ‖ 0 ‖ 0 ‖ handshake hash ‖ its key ‖ the responder's key. So a responder accepts
    /// only an initiator that meant it.
    static func initiator(_ key: IdentityKey, meaning responder: IdentityKey, handshakeHash: Digest) -> [UInt8] {
        front(.initiator, handshakeHash) + key.rawBytes + responder.rawBytes
    }

    private static func front(_ role: LinkRole, _ handshakeHash: Digest) -> [UInt8] {
        Array("multipeer/1 identity proof".utf8) + [0, role.byte] + handshakeHash.rawBytes
    }
}
