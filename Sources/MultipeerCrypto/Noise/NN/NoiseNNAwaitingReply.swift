internal import MultipeerWire

/// The initiator of `NN` after message 1, waiting for message 2.
public struct NoiseNNAwaitingReply: ~Copyable {
    private var symmetric: SymmetricState
    private let ephemeral: AgreementPrivateKey
    private let hybrid: EncapsulationKeyPair?
    private let crypto: CryptoProvider

    init(
        symmetric: consuming SymmetricState, ephemeral: consuming AgreementPrivateKey,
        hybrid: EncapsulationKeyPair?, crypto: CryptoProvider
    ) {
        self.symmetric = symmetric
        self.ephemeral = ephemeral
        self.hybrid = hybrid
        self.crypto = crypto
    }

    /// Reads message 2: `e` ‖ sealed payload. SPEC §9
    ///
    /// When it throws, the handshake's secrets are gone, and `payload` is as it was.
    /// - Parameter payload: the responder's payload is appended; empty in version 1 of the protocol.
    /// - Parameter message: The Noise message; written ones are appended to it.
    /// - Parameter ciphertext: What the responder of a hybrid suite has sent in its hello, and so in the prologue.
    /// - Throws: ``CryptoFailure/malformedKey`` for fewer than 32 bytes, ``CryptoFailure/messageTooLong``,
    ///   ``CryptoFailure/weakPublicKey``, ``CryptoFailure/authenticationFailed``, ``CryptoFailure/outOfSecretMemory``,
    ///   ``CryptoFailure/unavailableSuite`` for a hybrid suite without ciphertext, or that was not offered.
    public consuming func read(
        _ message: Span<UInt8>, ciphertext: [UInt8]? = nil, payload: inout [UInt8]
    ) throws(CryptoFailure) -> NoiseTransport {
        // ← e
        let (remoteEphemeral, sealed) = (try NoiseMessage.ephemeralKey(of: message), NoiseMessage.rest(of: message))
        symmetric.mixHash(remoteEphemeral.rawBytes.span)
        // ← ee
        try symmetric.mixKey(crypto.agreement.agree(ephemeral, with: remoteEphemeral))
        if symmetric.suite.isHybrid {
            guard let ciphertext, let hybrid else { throw .unavailableSuite }
            try symmetric.mixKey(hybrid.decapsulate(ciphertext))
        }
        var opened: [UInt8] = []
        try symmetric.decryptAndHash(sealed, into: &opened)
        let transport = try symmetric.split(as: .initiator)
        payload += opened
        return transport
    }
}
