internal import MultipeerWire

/// The fields of a handshake message of `NN`: `e` ‖ payload, the latter sealed once there is a key.
enum NoiseMessage {
    /// The first 32 bytes.
    static func ephemeralKey(of message: Span<UInt8>) throws(CryptoFailure) -> AgreementPublicKey {
        guard message.count <= NoiseLength.maximumMessage else { throw .messageTooLong }
        guard message.count >= NoiseLength.ephemeralKey else { throw .malformedKey }
        return try AgreementPublicKey(rawBytes: [UInt8](copying: message.extracting(first: NoiseLength.ephemeralKey)))
    }

    /// What follows the key; called when there is one.
    @_lifetime(copy message)
    static func rest(of message: Span<UInt8>) -> Span<UInt8> {
        message.extracting(droppingFirst: NoiseLength.ephemeralKey)
    }
}
