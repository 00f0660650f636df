import MultipeerCrypto

/// The bytes that an identity key signs (SPEC §9.5).
enum ProofMessage {
    /// label ‖ 0 ‖ role ‖ handshake hash ‖ identity key.
    static func bytes(role: LinkRole, handshakeHash: Digest, identityKey: IdentityKey) -> [UInt8] {
        Array("multipeer/1 identity proof".utf8) + [0, role.byte] + handshakeHash.rawBytes + identityKey.rawBytes
    }
}
