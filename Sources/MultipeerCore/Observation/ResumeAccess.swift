public import MultipeerCrypto
internal import MultipeerWire

/// What a link gives for continuing its association over another one (SPEC §13.9), without the link, for test vectors.
@_spi(Observation)
public struct ResumeAccess {
    private let secret: ResumeSecret

    /// Nil only for a link that has ended.
    /// - Parameters:
    ///   - exporterKey: x of SPEC §9.8.
    ///   - handshakeHash: That of the first link.
    ///   - initiator: The identity key of the first link's initiator.
    ///   - responder: That of its responder.
    ///   - hashing: HMAC-SHA256.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public init?(
        exporterKey: consuming Secret, handshakeHash: Digest, initiator: IdentityKey, responder: IdentityKey,
        hashing: any Hashing
    ) throws(CryptoFailure) {
        let exports = ExportKeys(material: exporterKey)
        try exports.bind(
            handshakeHash: handshakeHash, initiator: initiator, responder: responder, hashing: hashing)
        guard let secret = try ResumeSecret(of: exports, hashing: hashing) else { return nil }
        self.secret = secret
    }

    /// The name of the association, 16 bytes.
    public var association: [UInt8] { secret.association }

    /// The resume secret, in ordinary memory.
    public var resumeSecret: [UInt8] { secret.secret.withBytes { bytes in [UInt8](copying: bytes) } }

    /// The proof of RESUME or RESUMED.
    /// - Parameters:
    ///   - said: The payload before it.
    ///   - role: The role of its sender on the new link.
    ///   - handshakeHash: That of the new link.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public func proof(of said: [UInt8], by role: LinkRole, handshakeHash: Digest) throws(CryptoFailure) -> [UInt8] {
        try secret.proof(of: said, by: role, handshakeHash: handshakeHash)
    }
}
