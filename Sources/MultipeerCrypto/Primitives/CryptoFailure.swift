/// Why a cryptographic operation failed.
///
/// No case carries a detail that could serve as an oracle. Every failed decryption is ``authenticationFailed``.
@nonexhaustive
public enum CryptoFailure: Error, Hashable, Sendable {
    /// The AEAD tag does not belong to these bytes, key and nonce. No plaintext was released.
    case authenticationFailed
    /// The X25519 result is all zero: the peer sent a low-order public key (SPEC §9.4).
    case weakPublicKey
    /// The counter reached 2^64−1, which the Noise framework reserves.
    case nonceExhausted
    /// A handshake message has, or would have, more than the 65,535 bytes of Noise §3.
    case messageTooLong
    /// A key does not have the length or form that its algorithm requires.
    case malformedKey
    /// The system gave no (lockable) memory for a secret.
    case outOfSecretMemory
    /// The provider lacks a primitive of the suite (``CryptoProvider/availableSuites``).
    case unavailableSuite
    /// The library accepts Ed25519 signatures that SPEC §9.6 refuses, so that it must not be used (R9.6-3).
    case lenientSignatures
    /// The library refused for a reason that bytes from a peer cannot cause. `code` is the library's.
    case backendRefused(code: Int32)
}
