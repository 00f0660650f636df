import MultipeerCertificates

/// > When extensions are used, as expected in this profile, version MUST be 3. (RFC 5280 §4.1.2.1)
///
/// Older versions cannot say whether they are an authority, so none is taken anywhere.
enum VersionRule: CertificateRule {
    static func check(_ certificate: CertificateFields, _ position: PathPosition) throws(CertificateRejection) {
        guard certificate.version == 3 else { throw .unsupportedVersion }
    }
}
