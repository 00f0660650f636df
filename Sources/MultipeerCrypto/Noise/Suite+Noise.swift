public import MultipeerWire

/// How the suites of SPEC §7 fill Noise's `NN`.
extension Suite {
    /// The name that starts the transcript (Noise §8). It has at most 32 bytes, so it is padded and never hashed.
    public var noiseProtocolName: String {
        switch self {
        case .chaChaPoly: "Noise_NN_25519_ChaChaPoly_SHA256"
        case .aesGCM: "Noise_NN_25519_AESGCM_SHA256"
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
