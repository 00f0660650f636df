import MultipeerCertificates

/// > A certificate-using system MUST reject the certificate if it encounters a critical extension it does not recognize
/// > or a critical extension that contains information that it cannot process. (RFC 5280 §4.2)
///
/// Key identifiers and authority information MUST NOT be critical, so a critical one is refused with the unknown.
/// Certificate policies may be critical: we ask for none, so any policy will do (RFC 5280 §6.1.1 (c)); the extensions
/// that demand policy processing (constraints, mappings, inhibitAnyPolicy) are not on the list.
enum CriticalExtensionRule: CertificateRule {
    private static let processed: Set<ObjectIdentifier> = [
        .basicConstraints, .keyUsage, .extendedKeyUsage, .subjectAltName, .nameConstraints, .certificatePolicies,
    ]

    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        for item in certificate.extensions.all where item.isCritical && !processed.contains(item.identifier) {
            throw .unknownCriticalExtension
        }
    }
}
