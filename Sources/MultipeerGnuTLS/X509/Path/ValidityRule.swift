import MultipeerCertificates

/// > The validity period for a certificate is the period of time from notBefore through notAfter, inclusive.
/// > (RFC 5280 §4.1.2.5)
///
/// Checked here and not by GnuTLS, whose clock is one for the whole process. An expired anchor is no anchor.
enum ValidityRule {
    static func check(_ path: CandidatePath, at time: Int64) throws(CertificateRejection) {
        for certificate in path.certificates {
            guard time <= certificate.notAfter else { throw .expired }
            guard time >= certificate.notBefore else { throw .notYetValid }
        }
    }

    /// How long a path that is valid stays so. The last second counts.
    static func remainder(of path: CandidatePath, at time: Int64) -> Duration {
        .seconds((path.certificates.map(\.notAfter).min() ?? time) - time + 1)
    }
}
