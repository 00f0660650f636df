import MultipeerCertificates

/// Every subject alternative name has the form that RFC 5280 §4.2.1.6 gives it, so that comparing means something.
enum SubjectAltNameRule: CertificateRule {
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        for name in certificate.extensions.subjectAltNames ?? [] {
            guard isWellFormed(name) else { throw .profileViolation }
        }
    }

    private static func isWellFormed(_ name: GeneralName) -> Bool {
        switch name {
        case .dns(let host): HostName.isValid(HostPattern(host).base)
        // > the octet string MUST contain exactly four octets […] exactly sixteen octets
        case .ip(let octets): octets.count == 4 || octets.count == 16
        case .email(let mailbox): Mailbox(mailbox) != nil
        case .uri(let uri): URIReference.hasScheme(uri)
        case .directory, .other: true
        }
    }
}
