import MultipeerCertificates

/// > pathLenConstraint […] gives the maximum number of non-self-issued intermediate certificates that may follow this
/// > certificate in a valid certification path. (RFC 5280 §4.2.1.9)
enum PathLengthRule {
    static func check(_ path: CandidatePath, maximumIntermediates: Int) throws(CertificateRejection) {
        // Counted from the leaf upwards: how many intermediates lie between this authority and the leaf.
        var below = 0
        for authority in path.authorities {
            if let limit = authority.extensions.basicConstraints?.pathLength {
                guard below <= limit else { throw .pathTooLong }
            }
            if !authority.isSelfIssued { below += 1 }
        }
        let intermediates = path.intermediates.count { !$0.isSelfIssued }
        guard intermediates <= maximumIntermediates else { throw .pathTooLong }
    }
}
