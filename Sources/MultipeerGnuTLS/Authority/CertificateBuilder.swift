internal import CGnuTLS
import Glibc
import MultipeerCertificates

/// Writes and signs one certificate with GnuTLS.
struct CertificateBuilder {
    private let native: NativeCertificate

    /// Fills a certificate for `key`.
    init(_ template: CertificateTemplate, key: borrowing NativePrivateKey) throws(AuthorityError) {
        guard let native = NativeCertificate() else { throw .backendRefused(code: GNUTLS_E_MEMORY_ERROR) }
        self.native = native
        try check(unsafe gnutls_x509_crt_set_version(native.handle, 3))
        try check(unsafe gnutls_x509_crt_set_key(native.handle, key.handle))
        try setSerialNumber()
        try check(unsafe gnutls_x509_crt_set_activation_time(native.handle, time_t(template.notBefore)))
        try check(unsafe gnutls_x509_crt_set_expiration_time(native.handle, time_t(template.notAfter)))
        try setCommonName(template.commonName)
        try setSubjectKeyIdentifier()
        switch template.role {
        case .authority: try setAuthorityExtensions()
        case .peer(let uri): try setPeerExtensions(uri: uri)
        }
    }

    /// Signs with the key of `issuer`, or with the certificate's own when it is nil, and gives the certificate.
    func sign(
        issuer: NativeCertificate?, key: borrowing NativePrivateKey, digest: gnutls_digest_algorithm_t
    ) throws(AuthorityError) -> Certificate {
        let issuer = issuer ?? native
        try setAuthorityKeyIdentifier(of: issuer)
        // SAFETY: all handles are live for the call.
        try check(
            unsafe gnutls_x509_crt_privkey_sign(native.handle, issuer.handle, key.signingHandle, digest, 0))
        var datum = unsafe gnutls_datum_t()
        try check(unsafe gnutls_x509_crt_export2(native.handle, GNUTLS_X509_FMT_DER, &datum))
        return Certificate(der: unsafe NativeMemory.take(datum))
    }

    private func check(_ code: Int32) throws(AuthorityError) {
        guard code >= GNUTLS_E_SUCCESS else { throw .backendRefused(code: code) }
    }

    /// 127 random bits, positive and never zero (RFC 5280 §4.1.2.2).
    private func setSerialNumber() throws(AuthorityError) {
        var serial = [UInt8](repeating: 0, count: 16)
        try check(unsafe gnutls_rnd(GNUTLS_RND_NONCE, &serial, serial.count))
        serial[0] &= 0x7F
        // A leading zero byte would be written shorter; this keeps the length and the sign.
        if serial[0] == 0 { serial[0] = 1 }
        try check(unsafe gnutls_x509_crt_set_serial(native.handle, serial, serial.count))
    }

    private func setCommonName(_ name: String) throws(AuthorityError) {
        let bytes = Array(name.utf8)
        try check(
            unsafe gnutls_x509_crt_set_dn_by_oid(
                native.handle, GNUTLS_OID_X520_COMMON_NAME, 0, bytes, UInt32(bytes.count)))
    }

    /// The leftmost 160 bits of SHA-256 over the key (RFC 7093 §2, method 1).
    private func setSubjectKeyIdentifier() throws(AuthorityError) {
        var identifier = [UInt8](repeating: 0, count: 32)
        var count = identifier.count
        try check(
            unsafe gnutls_x509_crt_get_key_id(native.handle, GNUTLS_KEYID_USE_SHA256.rawValue, &identifier, &count))
        try check(unsafe gnutls_x509_crt_set_subject_key_id(native.handle, identifier, 20))
    }

    private func setAuthorityKeyIdentifier(of issuer: NativeCertificate) throws(AuthorityError) {
        var identifier = [UInt8](repeating: 0, count: 64)
        var count = identifier.count
        let code = unsafe gnutls_x509_crt_get_subject_key_id(issuer.handle, &identifier, &count, nil)
        // An authority made elsewhere may have none; then the names alone lead to it.
        guard code != GNUTLS_E_REQUESTED_DATA_NOT_AVAILABLE else { return }
        try check(code)
        try check(unsafe gnutls_x509_crt_set_authority_key_id(native.handle, identifier, count))
    }

    /// Critical basicConstraints with pathLenConstraint 0, critical key usage.
    private func setAuthorityExtensions() throws(AuthorityError) {
        try check(unsafe gnutls_x509_crt_set_basic_constraints(native.handle, 1, 0))
        try check(
            unsafe gnutls_x509_crt_set_key_usage(
                native.handle, UInt32(GNUTLS_KEY_KEY_CERT_SIGN | GNUTLS_KEY_CRL_SIGN)))
    }

    private func setPeerExtensions(uri: String) throws(AuthorityError) {
        try check(unsafe gnutls_x509_crt_set_basic_constraints(native.handle, 0, -1))
        try check(unsafe gnutls_x509_crt_set_key_usage(native.handle, UInt32(GNUTLS_KEY_DIGITAL_SIGNATURE)))
        for purpose in [GNUTLS_KP_TLS_WWW_CLIENT, GNUTLS_KP_TLS_WWW_SERVER] {
            try check(unsafe gnutls_x509_crt_set_key_purpose_oid(native.handle, purpose, 0))
        }
        try addAlternativeName(GNUTLS_SAN_URI, uri)
    }

    private func addAlternativeName(
        _ kind: gnutls_x509_subject_alt_name_t, _ name: String
    ) throws(AuthorityError) {
        let bytes = Array(name.utf8)
        try check(
            unsafe gnutls_x509_crt_set_subject_alt_name(
                native.handle, kind, bytes, UInt32(bytes.count), UInt32(GNUTLS_FSAN_APPEND)))
    }
}
