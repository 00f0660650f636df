import MultipeerCertificates

/// > If the cA boolean is not asserted, then the keyCertSign bit in the key usage extension MUST NOT be asserted.
/// > (RFC 5280 §4.2.1.9)
///
/// A leaf signs the binding, so where it has a key usage, digitalSignature is in it. An authority's has keyCertSign.
enum KeyUsageRule: CertificateRule {
    private static let digitalSignature = 0
    private static let keyCertSign = 5

    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        guard let usage = certificate.extensions.keyUsage else { return }
        // > When the keyUsage extension appears in a certificate, at least one of the bits MUST be set to 1.
        guard !usage.isEmpty else { throw .profileViolation }
        if position.isAuthority {
            guard usage.contains(keyCertSign) else { throw .keyUsage }
        } else {
            guard !usage.contains(keyCertSign) else { throw .leafIsAuthority }
            guard usage.contains(digitalSignature) else { throw .keyUsage }
        }
    }
}
