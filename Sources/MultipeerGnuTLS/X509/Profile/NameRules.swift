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

/// > The name constraints extension, which MUST be used only in a CA certificate (RFC 5280 §4.2.1.10)
///
/// And each constraint has the form of its kind, so that none is silently without effect.
enum NameConstraintsRule: CertificateRule {
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        guard let constraints = certificate.extensions.nameConstraints else { return }
        guard position.isAuthority else { throw .profileViolation }
        for base in constraints.permitted + constraints.excluded {
            guard isWellFormed(base) else { throw .nameConstraint }
        }
    }

    private static func isWellFormed(_ base: GeneralName) -> Bool {
        switch base {
        // No leading period, unlike URI constraints; empty means every host.
        case .dns(let host): host.isEmpty || HostName.isValid(host)
        case .ip(let octets): AddressRange(octets) != nil
        case .email(let text): EmailConstraint(text) != nil
        case .uri(let host): HostConstraint(host) != nil
        // Kinds that we do not process; a name of that kind is refused where it meets one.
        case .directory, .other: true
        }
    }
}
