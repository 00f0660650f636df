/// What a finished handshake leaves: a key for each direction, and the transcript that identity proofs sign (SPEC §9).
///
/// Frozen, so that its owner in another module can take it apart.
@frozen
public struct NoiseTransport: ~Copyable {
    /// h after the last message: binds everything that both peers said. Not secret.
    public let handshakeHash: Digest
    /// Seals what goes out.
    public var sending: CipherState
    /// Opens what comes in.
    public var receiving: CipherState
    /// x of SPEC §9.8: what the exporter secret is made of once both identities are proved.
    public var exporterMaterial: Secret

    init(
        handshakeHash: Digest, sending: consuming CipherState, receiving: consuming CipherState,
        exporterMaterial: consuming Secret
    ) {
        self.handshakeHash = handshakeHash
        self.sending = sending
        self.receiving = receiving
        self.exporterMaterial = exporterMaterial
    }
}
