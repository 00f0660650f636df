import MultipeerCertificates

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
