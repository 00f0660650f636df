/// The initiator of `NN` after message 1, waiting for message 2.
public struct NoiseNNAwaitingReply: ~Copyable {
    private var symmetric: SymmetricState
    private let ephemeral: AgreementPrivateKey
    private let crypto: CryptoProvider

    init(
        symmetric: consuming SymmetricState, ephemeral: consuming AgreementPrivateKey, crypto: CryptoProvider
    ) {
        self.symmetric = symmetric
        self.ephemeral = ephemeral
        self.crypto = crypto
    }

    /// Reads message 2: `e` ‖ sealed payload. SPEC §9
    ///
    /// When it throws, the handshake's secrets are gone, and `payload` is as it was.
    /// - Parameter payload: the responder's payload is appended; empty in version 1 of the protocol.
    /// - Parameter message: The Noise message; written ones are appended to it.
    /// - Throws: ``CryptoFailure/malformedKey`` for fewer than 32 bytes, ``CryptoFailure/messageTooLong``,
    ///   ``CryptoFailure/weakPublicKey``, ``CryptoFailure/authenticationFailed``, ``CryptoFailure/outOfSecretMemory``.
    public consuming func read(
        _ message: Span<UInt8>, payload: inout [UInt8]
    ) throws(CryptoFailure) -> NoiseTransport {
        // ← e
        let (remoteEphemeral, sealed) = (try NoiseMessage.ephemeralKey(of: message), NoiseMessage.rest(of: message))
        symmetric.mixHash(remoteEphemeral.rawBytes.span)
        // ← ee
        try symmetric.mixKey(crypto.agreement.agree(ephemeral, with: remoteEphemeral))
        var opened: [UInt8] = []
        try symmetric.decryptAndHash(sealed, into: &opened)
        let transport = try symmetric.split(as: .initiator)
        payload += opened
        return transport
    }
}
