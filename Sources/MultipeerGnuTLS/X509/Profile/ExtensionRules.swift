import MultipeerCertificates

/// > A certificate-using system MUST reject the certificate if it encounters a critical extension it does not recognize
/// > or a critical extension that contains information that it cannot process. (RFC 5280 §4.2)
///
/// Key identifiers and authority information MUST NOT be critical, so a critical one is refused with the unknown.
/// Certificate policies may be critical: we ask for none, so any policy will do (RFC 5280 §6.1.1 (c)); the extensions
/// that demand policy processing (constraints, mappings, inhibitAnyPolicy) are not on the list. Nobody here processes
/// policies, so that policyConstraints and inhibitAnyPolicy are refused where they are not critical, too.
enum CriticalExtensionRule: CertificateRule {
    private static let processed: Set<ObjectIdentifier> = [
        .basicConstraints, .keyUsage, .extendedKeyUsage, .subjectAltName, .nameConstraints, .certificatePolicies,
    ]
    private static let demanding: Set<ObjectIdentifier> = [.policyConstraints, .inhibitAnyPolicy]

    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        for item in certificate.extensions.all {
            guard !demanding.contains(item.identifier) else { throw .unknownCriticalExtension }
            guard !item.isCritical || processed.contains(item.identifier) else { throw .unknownCriticalExtension }
        }
    }
}

/// > Conforming CAs MUST include this extension in all CA certificates that contain public keys used to validate digital
/// > signatures on certificates and MUST mark the extension as critical in such certificates. (RFC 5280 §4.2.1.9)
///
/// Conversely, an authority's certificate is never a leaf. The holder of an authority's key could have issued itself a leaf,
/// and a peer that shows the authority itself has lost track of its keys.
enum BasicConstraintsRule: CertificateRule {
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        let constraints = certificate.extensions.basicConstraints
        guard position.isAuthority else {
            guard constraints?.isAuthority != true else { throw .leafIsAuthority }
            // > CAs MUST NOT include the pathLenConstraint field unless the cA boolean is asserted
            guard constraints?.pathLength == nil else { throw .profileViolation }
            return
        }
        guard let constraints, constraints.isAuthority else { throw .notAnAuthority }
        guard certificate.extensions.isCritical(.basicConstraints) else { throw .notAnAuthority }
    }
}

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
