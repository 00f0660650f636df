import MultipeerCertificates

/// Name constraints over a whole path (RFC 5280 §6.1.3 (b), (c), §6.1.4 (g)).
///
/// > Name constraints are not applied to self-issued certificates (unless the certificate is the final certificate in
/// > the path).
enum PathNameConstraintsRule {
    /// The most comparisons of a name with a constraint, so that many of both cannot cost minutes.
    static let maximumComparisons = 65_536

    static func check(_ path: CandidatePath) throws(CertificateRejection) {
        var comparisons = 0
        for (index, authority) in path.certificates.enumerated().dropFirst() {
            guard let constraints = authority.extensions.nameConstraints else { continue }
            for (below, certificate) in path.certificates[..<index].enumerated() {
                guard below == 0 || !certificate.isSelfIssued else { continue }
                let names = constrainedNames(of: certificate)
                comparisons += names.count * (constraints.permitted.count + constraints.excluded.count)
                guard comparisons <= maximumComparisons else { throw .nameConstraint }
                for name in names { try check(name, constraints) }
            }
        }
    }

    /// Subject alternative names, the subject, and mailboxes that the subject holds in the old way.
    private static func constrainedNames(of certificate: CertificateFields) -> [GeneralName] {
        var names = certificate.extensions.subjectAltNames ?? []
        if !certificate.subject.isEmpty { names.append(.directory(certificate.subject)) }
        for attribute in certificate.subject.relativeNames.joined() where attribute.type == .emailAddress {
            names.append(.email(attribute.value))
        }
        return names
    }

    private static func check(_ name: GeneralName, _ constraints: NameConstraints) throws(CertificateRejection) {
        for base in constraints.excluded where base.kind == name.kind {
            guard NameSubtree(base).overlap(name) == .outside else { throw .nameConstraint }
        }
        let permitted = constraints.permitted.filter { $0.kind == name.kind }
        guard permitted.isEmpty || permitted.contains(where: { NameSubtree($0).holds(name) }) else {
            throw .nameConstraint
        }
    }
}
