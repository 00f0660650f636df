import MultipeerCertificates

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
