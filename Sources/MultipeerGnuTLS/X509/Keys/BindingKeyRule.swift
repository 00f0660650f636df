import MultipeerCertificates

extension SubjectKey {
    /// The one algorithm that a leaf key of this type signs the binding with (SPEC §10.3).
    /// - Throws: ``CertificateRejection/unsupportedKey``, ``CertificateRejection/weakKey``.
    func bindingAlgorithm() throws(CertificateRejection) -> SignatureAlgorithm {
        switch self {
        case .ed25519: return .ed25519
        case .p256: return .ecdsaP256SHA256
        case .p384: return .ecdsaP384SHA384
        case .rsa(let bits):
            guard bits >= 2048 else { throw .weakKey }
            // Above this a verification costs more than a stranger may make us spend.
            guard bits <= 8192 else { throw .unsupportedKey }
            return .rsaPSSSHA256
        case .p521, .other: throw .unsupportedKey
        }
    }
}
