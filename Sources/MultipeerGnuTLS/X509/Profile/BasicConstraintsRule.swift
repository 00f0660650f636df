import MultipeerCertificates

/// > Conforming CAs MUST include this extension in all CA certificates that contain public keys used to validate digital
/// > signatures on certificates and MUST mark the extension as critical in such certificates. (RFC 5280 §4.2.1.9)
///
/// The other way round, an authority's certificate is nobody's leaf: who holds an authority's key could have issued
/// itself a leaf, and whoever shows the authority itself as a peer has lost track of its keys.
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
