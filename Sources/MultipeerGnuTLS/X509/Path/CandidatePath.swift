import MultipeerCertificates

/// A path that names chain up to an anchor. It is built and not verified yet.
struct CandidatePath {
    /// The leaf, then each issuer, the anchor last; at least two.
    let certificates: [CertificateFields]
    /// The last of them.
    let anchor: TrustAnchor

    /// - Parameter below: The leaf and the intermediates, the leaf first.
    init(below: [CertificateFields], anchor: TrustAnchor) {
        certificates = below + [anchor.fields]
        self.anchor = anchor
    }

    /// Between leaf and anchor.
    var intermediates: ArraySlice<CertificateFields> { certificates.dropFirst().dropLast() }

    /// The certificates that sign others, from the leaf's issuer to the anchor.
    var authorities: ArraySlice<CertificateFields> { certificates.dropFirst() }
}
