import MultipeerCrypto
import MultipeerWire

/// The name of an association, and the secret by which a peer shows that it took part in the link by which it began (SPEC §13.9).
struct ResumeSecret: Sendable {
    /// The name, 16 bytes.
    let association: [UInt8]
    let secret: SharedSecret
    private let hashing: any Hashing

    /// What the link that has just opened gives.
    /// - Returns: Nil when the link has no exporter secret any more.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    init?(of exports: ExportKeys, hashing: any Hashing) throws(CryptoFailure) {
        let label = Array("multipeer/1 association".utf8)
        guard
            let name = try exports.export(label: label, context: [], length: Resume.associationLength),
            let secret = try exports.secret(label: Array("multipeer/1 resume".utf8))
        else { return nil }
        association = name
        self.secret = secret
        self.hashing = hashing
    }

    /// The proof of RESUME or RESUMED.
    /// - Parameters:
    ///   - said: The payload before it.
    ///   - role: The role of its sender on the new link.
    ///   - handshakeHash: That of the new link.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    func proof(of said: [UInt8], by role: LinkRole, handshakeHash: Digest) throws(CryptoFailure) -> [UInt8] {
        try authenticate(said, by: role, handshakeHash).withBytes { bytes in [UInt8](copying: bytes) }
    }

    /// Whether a proof of the peer is right.
    func isValid(
        _ proof: [UInt8], of said: [UInt8], by role: LinkRole, handshakeHash: Digest
    ) throws(CryptoFailure) -> Bool {
        try authenticate(said, by: role, handshakeHash).equals(proof)
    }

    private func authenticate(
        _ said: [UInt8], by role: LinkRole, _ handshakeHash: Digest
    ) throws(CryptoFailure) -> Secret {
        let front = Array("multipeer/1 resume".utf8) + [0, role.byte] + handshakeHash.rawBytes
        return try secret.withSecret { key throws(CryptoFailure) in
            try hashing.authenticate(front.span, said.span, key: key)
        }
    }
}
