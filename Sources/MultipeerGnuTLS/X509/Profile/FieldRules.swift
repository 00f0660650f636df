import MultipeerCertificates

/// > When extensions are used, as expected in this profile, version MUST be 3. (RFC 5280 §4.1.2.1)
///
/// Older versions cannot say whether they are an authority, so none is taken anywhere.
enum VersionRule: CertificateRule {
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        guard certificate.version == 3 else { throw .unsupportedVersion }
    }
}

/// > The serial number MUST be a positive integer […] Conforming CAs MUST NOT use serialNumber values longer than 20
/// > octets. (RFC 5280 §4.1.2.2)
///
/// Roots with a serial number of zero are in real use and nothing depends on it, so anchors only keep the length.
enum SerialNumberRule: CertificateRule {
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        guard let first = certificate.serial.first, certificate.serial.count <= 20 else { throw .profileViolation }
        guard position != .anchor else { return }
        guard first < 0x80, certificate.serial != [0] else { throw .profileViolation }
    }
}

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

/// Leaf keys are those of SPEC §10.3; authorities may also have P-521 and longer RSA keys.
enum KeyRule: CertificateRule {
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        guard position.isAuthority else {
            _ = try certificate.key.bindingAlgorithm()
            return
        }
        switch certificate.key {
        case .ed25519, .p256, .p384, .p521: return
        case .rsa(let bits):
            guard bits >= 2048 else { throw .weakKey }
            guard bits <= 16_384 else { throw .unsupportedKey }
        case .other: throw .unsupportedKey
        }
    }
}
