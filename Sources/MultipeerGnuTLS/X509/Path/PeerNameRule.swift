import MultipeerCertificates

/// A display name counts only under authorities that may certify any name (SPEC §10.8).
///
/// > Restrictions of the form […] apply only when the specified name form is present. (RFC 5280 §4.2.1.10)
///
/// An authority that is confined to some hosts could therefore certify every `multipeer:peer/` URI, which the one that
/// confined it did not mean. Constraints that do speak of URIs refuse such a URI anyway, because it has no host.
enum PeerNameRule {
    static func check(_ path: CandidatePath, _ expected: [ExpectedName]) throws(CertificateRejection) {
        let expectsPeer = expected.contains { name in
            if case .uri(let uri) = name { PeerNameURI.isPeerName(uri) } else { false }
        }
        guard expectsPeer else { return }
        guard path.authorities.allSatisfy({ $0.extensions.nameConstraints == nil }) else { throw .nameConstraint }
    }
}
