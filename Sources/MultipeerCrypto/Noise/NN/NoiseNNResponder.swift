public import MultipeerWire

/// The responder of `NN`, which has chosen the suite and waits for message 1.
///
///     NN:
///       → e
///       ← e, ee
public struct NoiseNNResponder: ~Copyable {
    private var symmetric: SymmetricState
    private let crypto: CryptoProvider

    /// Starts the transcript. SPEC §9
    /// - Parameter prologue: everything before the Noise messages that both peers must agree on.
    /// - Parameter suite: The suite that both peers agreed on.
    /// - Parameter crypto: The primitives.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    public init(suite: Suite, prologue: Span<UInt8>, crypto: CryptoProvider) throws(CryptoFailure) {
        symmetric = try SymmetricState(suite: suite, crypto: crypto)
        symmetric.mixHash(prologue)
        self.crypto = crypto
    }

    /// Reads message 1: `e` ‖ payload, both in the clear. SPEC §9
    ///
    /// - Parameter payload: The initiator's payload is appended. It is not authenticated yet. Version 1 of the protocol has
    ///   none.
    /// - Parameter message: The Noise message; written ones are appended to it.
    /// - Throws: ``CryptoFailure/malformedKey`` for fewer than 32 bytes, ``CryptoFailure/messageTooLong``.
    public consuming func read(
        _ message: Span<UInt8>, payload: inout [UInt8]
    ) throws(CryptoFailure) -> NoiseNNReplying {
        // → e
        let (remoteEphemeral, text) = (try NoiseMessage.ephemeralKey(of: message), NoiseMessage.rest(of: message))
        symmetric.mixHash(remoteEphemeral.rawBytes.span)
        try symmetric.decryptAndHash(text, into: &payload)
        return NoiseNNReplying(symmetric: symmetric, remoteEphemeral: remoteEphemeral, crypto: crypto)
    }
}
