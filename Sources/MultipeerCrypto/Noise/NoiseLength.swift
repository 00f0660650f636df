/// Lengths of Noise, in bytes.
enum NoiseLength {
    /// > All Noise messages are less than or equal to 65535 bytes in length. (§3)
    static let maximumMessage = 65_535
    /// DHLEN of 25519.
    static let ephemeralKey = 32
    /// The length of every cipher key.
    static let cipherKey = 32
}
