/// The two ways of this protocol to fill Noise's `NN` (SPEC §7, suites 0x0001 and 0x0002).
public enum NoiseSuite: Hashable, Sendable, CaseIterable {
    /// ChaCha20-Poly1305; every implementation has it.
    case chaChaPoly
    /// AES-256-GCM, for processors with AES instructions.
    case aesGCM

    /// The name that starts the transcript (Noise §8). At most 32 bytes, so that it is padded and never hashed.
    public var protocolName: String {
        switch self {
        case .chaChaPoly: "Noise_NN_25519_ChaChaPoly_SHA256"
        case .aesGCM: "Noise_NN_25519_AESGCM_SHA256"
        }
    }

    /// The AEAD of the suite among `roles`.
    public func aead(in roles: CryptoProvider) -> any AEAD {
        switch self {
        case .chaChaPoly: roles.chaChaPoly
        case .aesGCM: roles.aesGCM
        }
    }
}

/// Lengths of Noise, in bytes.
enum NoiseLength {
    /// > All Noise messages are less than or equal to 65535 bytes in length. (§3)
    static let maximumMessage = 65_535
    /// DHLEN of 25519.
    static let ephemeralKey = 32
    /// The length of every cipher key.
    static let cipherKey = 32
}
