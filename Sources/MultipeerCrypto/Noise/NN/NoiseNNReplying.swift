internal import MultipeerWire

/// The responder of `NN` after message 1, about to write message 2.
public struct NoiseNNReplying: ~Copyable {
    private var symmetric: SymmetricState
    private let remoteEphemeral: AgreementPublicKey
    private let crypto: CryptoProvider

    init(symmetric: consuming SymmetricState, remoteEphemeral: AgreementPublicKey, crypto: CryptoProvider) {
        self.symmetric = symmetric
        self.remoteEphemeral = remoteEphemeral
        self.crypto = crypto
    }

    /// Writes message 2, `e` ‖ sealed payload, with an ephemeral key from 32 bytes of `random`. SPEC §9
    ///
    /// When it throws, the handshake's secrets are gone, and `message` is as it was.
    /// - Parameters:
    ///   - payload: at most 65,487 bytes; empty in version 1 of the protocol.
    ///   - message: 48 bytes and the payload's are appended.
    ///   - encapsulated: The secret of a hybrid suite, whose ciphertext stands in the prologue.
    ///   - random: Where the ephemeral key comes from.
    /// - Throws: ``CryptoFailure/weakPublicKey`` when the initiator sent a low-order key, ``CryptoFailure/messageTooLong``,
    ///   ``CryptoFailure/outOfSecretMemory``, ``CryptoFailure/unavailableSuite`` for a hybrid suite without such a secret.
    public consuming func write(
        payload: Span<UInt8> = Span(), encapsulated: SharedSecret? = nil, random: inout any RandomSource,
        into message: inout [UInt8]
    ) throws(CryptoFailure) -> NoiseTransport {
        let ephemeral = try crypto.agreement.makePrivateKey(random: &random)
        return try write(payload: payload, ephemeral: ephemeral, encapsulated: encapsulated, into: &message)
    }

    /// As above with a given ephemeral key, for known answers.
    package consuming func write(
        payload: Span<UInt8>, ephemeral: consuming AgreementPrivateKey, encapsulated: SharedSecret? = nil,
        into message: inout [UInt8]
    ) throws(CryptoFailure) -> NoiseTransport {
        let overhead = NoiseLength.ephemeralKey + aeadTagLength
        guard payload.count <= NoiseLength.maximumMessage - overhead else { throw .messageTooLong }
        // ← e
        var written = try crypto.agreement.publicKey(of: ephemeral).rawBytes
        symmetric.mixHash(written.span)
        // ← ee
        try symmetric.mixKey(crypto.agreement.agree(ephemeral, with: remoteEphemeral))
        if symmetric.suite.isHybrid {
            guard let encapsulated else { throw .unavailableSuite }
            try symmetric.mixKey(encapsulated)
        }
        try symmetric.encryptAndHash(payload, into: &written)
        let transport = try symmetric.split(as: .responder)
        message += written
        return transport
    }
}
