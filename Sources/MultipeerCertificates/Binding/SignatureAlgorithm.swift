/// How a leaf key signs the binding (SPEC §10.3). The numbers are TLS 1.3's SignatureScheme (RFC 8446 §4.2.3).
public enum SignatureAlgorithm: UInt16, Sendable, CaseIterable {
    /// ECDSA over P-256 with SHA-256; the signature is a DER ECDSA-Sig-Value.
    case ecdsaP256SHA256 = 0x0403
    /// ECDSA over P-384 with SHA-384; the signature is a DER ECDSA-Sig-Value.
    case ecdsaP384SHA384 = 0x0503
    /// RSASSA-PSS with SHA-256, MGF1-SHA-256 and a salt of 32 bytes, by a key of type rsaEncryption.
    case rsaPSSSHA256 = 0x0804
    /// Ed25519, 64 bytes.
    case ed25519 = 0x0807
}
