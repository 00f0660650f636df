import MultipeerCertificates

/// > This field MUST contain the same algorithm identifier as the signature field in the sequence tbsCertificate
/// > (RFC 5280 §4.1.1.2)
///
/// And the algorithm is one of a list of sound ones: MD5 and SHA-1 are not on it. Nobody relies on the signature of an
/// anchor, so there the list does not apply.
enum SignatureAlgorithmRule: CertificateRule {
    private static let sound: Set<ObjectIdentifier> = [
        .sha256WithRSA, .sha384WithRSA, .sha512WithRSA, .rsaPSS, .ecdsaWithSHA256, .ecdsaWithSHA384, .ecdsaWithSHA512,
        .ed25519,
    ]

    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        guard certificate.innerSignatureAlgorithm == certificate.outerSignatureAlgorithm else { throw .malformed }
        guard position != .anchor else { return }
        guard sound.contains(certificate.signatureAlgorithm) else { throw .weakSignature }
    }
}
