import MultipeerCertificates

/// An authority that is trusted, parsed once for all paths that end in it.
struct TrustAnchor: Sendable {
    /// Parsed by us.
    let fields: CertificateFields
    /// Parsed by GnuTLS; nil where GnuTLS does not read it, so that no path through it is valid.
    let native: NativeAnchor?
    /// The rule of the profile that it breaks.
    let rejection: CertificateRejection?

    /// - Throws: `CertificateRejection.malformed`.
    init(_ certificate: Certificate) throws(CertificateRejection) {
        fields = try CertificateFields(certificate)
        native = (try? NativeCertificate(der: certificate.der)).map(NativeAnchor.init)
        rejection = Self.rejection(of: fields)
    }

    private static func rejection(of fields: CertificateFields) -> CertificateRejection? {
        do throws(CertificateRejection) {
            try CertificateProfile.check(fields, .anchor)
            return nil
        } catch {
            return error
        }
    }
}

/// A parsed certificate that several threads read.
///
/// `@unchecked Sendable`: nobody changes the certificate after it was parsed. GnuTLS allows that objects which are only
/// read are shared among threads (GnuTLS manual, "Thread safety"), and shares the anchors of its own credentials so.
struct NativeAnchor: @unchecked Sendable {
    let certificate: NativeCertificate
}
