import MultipeerCertificates

/// Leaf keys are those of SPEC §10.3; authorities may also have P-521 and longer RSA keys.
enum KeyRule: CertificateRule {
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        guard position.isAuthority else {
            _ = try certificate.key.bindingAlgorithm()
            return
        }
        switch certificate.key {
        case .ed25519, .p256, .p384, .p521: return
        case .rsa(let bits):
            guard bits >= 2048 else { throw .weakKey }
            guard bits <= 16_384 else { throw .unsupportedKey }
        case .other: throw .unsupportedKey
        }
    }
}
