/// The kinds of keys that our authority makes.
@nonexhaustive
public enum LeafKeyAlgorithm: String, Sendable, CaseIterable {
    /// Ed25519 (RFC 8410).
    case ed25519
    /// ECDSA over P-256.
    case ecdsaP256 = "ecdsa-p256"
    /// ECDSA over P-384.
    case ecdsaP384 = "ecdsa-p384"
    /// RSA with 3072 bits.
    case rsa
}
