internal import CGnuTLS
import MultipeerCertificates

/// A certificate as GnuTLS holds it. Local to one call and one thread: GnuTLS promises nothing for shared ones.
@safe
final class NativeCertificate {
    /// Owned; freed with this object.
    let handle: gnutls_x509_crt_t

    /// Parses DER.
    init(der: [UInt8]) throws(CertificateRejection) {
        guard let handle = unsafe NativeMemory.allocate(gnutls_x509_crt_init) else { throw .malformed }
        unsafe self.handle = handle
        let code = unsafe NativeMemory.withDatum(der) { datum in
            // SAFETY: GnuTLS copies out of the datum during the call.
            unsafe gnutls_x509_crt_import(handle, datum, GNUTLS_X509_FMT_DER)
        }
        guard code == GNUTLS_E_SUCCESS else { throw .malformed }
    }

    /// An empty certificate, to be filled and signed.
    init?() {
        guard let handle = unsafe NativeMemory.allocate(gnutls_x509_crt_init) else { return nil }
        unsafe self.handle = handle
    }

    deinit {
        // SAFETY: the handle came from gnutls_x509_crt_init and nobody else frees it.
        unsafe gnutls_x509_crt_deinit(handle)
    }
}
