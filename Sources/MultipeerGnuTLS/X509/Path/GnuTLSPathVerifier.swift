internal import CGnuTLS
import MultipeerCertificates

/// RFC 5280 §6 by GnuTLS over one finished path: signatures, authorities, path lengths, name constraints, extensions.
enum GnuTLSPathVerifier {
    /// All checks but those of time, which GnuTLS can make against one process-wide clock only, and of CRLs.
    private static let flags: UInt32 =
        GNUTLS_VERIFY_DISABLE_TIME_CHECKS.rawValue | GNUTLS_VERIFY_DISABLE_TRUSTED_TIME_CHECKS.rawValue
        | GNUTLS_VERIFY_DISABLE_CRL_CHECKS.rawValue | GNUTLS_VERIFY_DO_NOT_ALLOW_X509_V1_CA_CRT.rawValue
        | GNUTLS_VERIFY_DO_NOT_ALLOW_UNSORTED_CHAIN.rawValue | GNUTLS_VERIFY_DO_NOT_ALLOW_SAME.rawValue
        // GNUTLS_PROFILE_TO_VFLAGS, a macro that Swift cannot see: at least 112 bits of strength.
        | GNUTLS_PROFILE_MEDIUM.rawValue << 24

    /// - Throws: what GnuTLS found.
    static func check(_ path: CandidatePath) throws(CertificateRejection) {
        guard let anchor = path.anchor.native?.certificate else { throw .malformed }
        var natives: [NativeCertificate] = []
        for certificate in path.certificates.dropLast() {
            natives.append(try NativeCertificate(der: certificate.certificate.der))
        }
        let list: [gnutls_x509_crt_t?] = unsafe natives.map { unsafe $0.handle }
        var trusted: gnutls_x509_crt_t? = unsafe anchor.handle
        var status: UInt32 = 0
        let code = withExtendedLifetime((natives, anchor)) {
            // SAFETY: `natives` and `anchor` keep every handle alive, and GnuTLS only reads the lists and the anchor.
            unsafe gnutls_x509_crt_list_verify(
                list, UInt32(list.count), &trusted, 1, nil, 0, flags, &status)
        }
        guard code == GNUTLS_E_SUCCESS else { throw .malformed }
        if let rejection = rejection(status, path) { throw rejection }
    }

    /// The most telling bit first. Any bit at all is a rejection.
    private static func rejection(_ status: UInt32, _ path: CandidatePath) -> CertificateRejection? {
        guard status != 0 else { return nil }
        // One bit for both kinds of constraints.
        let hasNameConstraints = path.authorities.contains { $0.extensions.nameConstraints != nil }
        let meanings: [(gnutls_certificate_status_t, CertificateRejection)] = [
            (GNUTLS_CERT_SIGNATURE_FAILURE, .invalidSignature),
            (GNUTLS_CERT_INSECURE_ALGORITHM, .weakSignature),
            (GNUTLS_CERT_UNKNOWN_CRIT_EXTENSIONS, .unknownCriticalExtension),
            (GNUTLS_CERT_SIGNER_NOT_CA, .notAnAuthority),
            (GNUTLS_CERT_SIGNER_CONSTRAINTS_FAILURE, hasNameConstraints ? .nameConstraint : .pathTooLong),
            (GNUTLS_CERT_PURPOSE_MISMATCH, .extendedKeyUsage),
            (GNUTLS_CERT_SIGNER_NOT_FOUND, .unknownAuthority),
        ]
        return meanings.first { status & UInt32($0.0.rawValue) != 0 }?.1 ?? .unknownAuthority
    }
}
