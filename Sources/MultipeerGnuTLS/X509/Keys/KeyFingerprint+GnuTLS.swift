internal import CGnuTLS
import MultipeerCertificates
import MultipeerCrypto

extension CertificateFields {
    /// SHA-256 of the SubjectPublicKeyInfo exactly as it is in the certificate (SPEC §10.6).
    var keyFingerprint: KeyFingerprint? {
        var digest = [UInt8](repeating: 0, count: Digest.length)
        let key = subjectPublicKeyInfo
        let code = unsafe digest.withUnsafeMutableBytes { output in
            unsafe key.withUnsafeBytes { input in
                // SAFETY: input and output outlive the call; SHA-256 writes 32 bytes.
                unsafe gnutls_hash_fast(GNUTLS_DIG_SHA256, input.baseAddress, input.count, output.baseAddress)
            }
        }
        guard code == GNUTLS_E_SUCCESS, let digest = try? Digest(rawBytes: digest) else { return nil }
        return KeyFingerprint(digest: digest)
    }
}
