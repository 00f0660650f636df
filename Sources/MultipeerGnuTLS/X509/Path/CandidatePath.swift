import MultipeerCertificates

/// A path that names chain up to an anchor. Built, not judged.
struct CandidatePath {
    /// The leaf, then each issuer, the anchor last; at least two.
    let certificates: [CertificateFields]

    /// Between leaf and anchor.
    var intermediates: ArraySlice<CertificateFields> { certificates.dropFirst().dropLast() }

    /// The certificates that sign others, from the leaf's issuer to the anchor.
    var authorities: ArraySlice<CertificateFields> { certificates.dropFirst() }
}
