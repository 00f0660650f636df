import MultipeerCertificates

/// > The issuer field MUST contain a non-empty distinguished name (RFC 5280 §4.1.2.4)
///
/// > If the subject is a CA […] then the subject field MUST be populated with a non-empty distinguished name […] If
/// > subject naming information is present only in the subjectAltName extension […] then the subject name MUST be an
/// > empty sequence and the subjectAltName extension MUST be critical. (RFC 5280 §4.1.2.6)
enum NameRule: CertificateRule {
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        guard !certificate.issuer.isEmpty else { throw .profileViolation }
        guard certificate.subject.isEmpty else { return }
        guard !position.isAuthority, certificate.extensions.isCritical(.subjectAltName) else {
            throw .profileViolation
        }
    }
}
