public import MultipeerWire

/// The initiator of `NN` before message 1 has its meaning: it has an ephemeral key and nothing else.
///
///     NN:
///       → e
///       ← e, ee
///
/// The responder picks the suite, and the prologue holds what it picked; both are known only when its hello is there
/// (SPEC §9). Until then ``ephemeralKey`` travels in the clear, as the pattern has it anyway.
public struct NoiseNNInitiator: ~Copyable {
    private let ephemeral: AgreementPrivateKey
    /// `e`: the first 32 bytes of message 1, before the payload.
    public let ephemeralKey: AgreementPublicKey
    private let hybrid: EncapsulationKeyPair?
    private let crypto: CryptoProvider

    /// `e = GENERATE_KEYPAIR()`, from 32 bytes of `random`, and from 64 more for a hybrid suite.
    /// - Parameters:
    ///   - crypto: The primitives.
    ///   - offersHybrid: Whether the responder may choose a hybrid suite.
    ///   - random: Where the keys come from.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``, ``CryptoFailure/unavailableSuite``.
    public init(
        crypto: CryptoProvider, offersHybrid: Bool = false, random: inout any RandomSource
    ) throws(CryptoFailure) {
        let ephemeral = try crypto.agreement.makePrivateKey(random: &random)
        let hybrid = offersHybrid ? try EncapsulationKeyPair(crypto: crypto, random: &random) : nil
        try self.init(crypto: crypto, ephemeral: ephemeral, hybrid: hybrid)
    }

    /// With given ephemeral keys, for known answers.
    package init(
        crypto: CryptoProvider, ephemeral: consuming AgreementPrivateKey, hybrid: EncapsulationKeyPair? = nil
    ) throws(CryptoFailure) {
        ephemeralKey = try crypto.agreement.publicKey(of: ephemeral)
        self.ephemeral = ephemeral
        self.hybrid = hybrid
        self.crypto = crypto
    }

    /// The ephemeral key of ML-KEM-768, which travels in the prologue; nil if no hybrid suite is offered (SPEC §7.6).
    public var encapsulationKey: [UInt8]? { hybrid?.encapsulationKey }

    /// Starts the transcript, once the responder's choice is known. SPEC §9
    ///
    /// - Parameters:
    ///   - prologue: everything before the Noise messages that both peers must agree on.
    ///   - payload: what followed `e` in message 1; empty in version 1 of the protocol.
    ///   - suite: The suite that both peers agreed on.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``, ``CryptoFailure/messageTooLong``.
    public consuming func start(
        suite: Suite, prologue: Span<UInt8>, payload: Span<UInt8> = Span()
    ) throws(CryptoFailure) -> NoiseNNAwaitingReply {
        guard payload.count <= NoiseLength.maximumMessage - NoiseLength.ephemeralKey else { throw .messageTooLong }
        var symmetric = try SymmetricState(suite: suite, crypto: crypto)
        symmetric.mixHash(prologue)
        // → e
        symmetric.mixHash(ephemeralKey.rawBytes.span)
        // No key yet: the payload is sent as it is.
        var sent: [UInt8] = []
        try symmetric.encryptAndHash(payload, into: &sent)
        return NoiseNNAwaitingReply(symmetric: symmetric, ephemeral: ephemeral, hybrid: hybrid, crypto: crypto)
    }
}
