internal import CGnuTLS
import MultipeerCertificates

/// A public key as GnuTLS holds it. Local to one call.
@safe
final class NativePublicKey {
    private let handle: gnutls_pubkey_t

    /// Parses a SubjectPublicKeyInfo in DER.
    init(subjectPublicKeyInfo: [UInt8]) throws(CertificateRejection) {
        guard let handle = unsafe NativeMemory.allocate(gnutls_pubkey_init) else { throw .malformed }
        unsafe self.handle = handle
        let code = unsafe NativeMemory.withDatum(subjectPublicKeyInfo) { datum in
            // SAFETY: GnuTLS copies out of the datum during the call.
            unsafe gnutls_pubkey_import(handle, datum, GNUTLS_X509_FMT_DER)
        }
        guard code == GNUTLS_E_SUCCESS else { throw .malformed }
    }

    deinit {
        // SAFETY: the handle came from gnutls_pubkey_init and nobody else frees it.
        unsafe gnutls_pubkey_deinit(handle)
    }

    /// Whether `signature` is this key's signature of `message` under exactly this algorithm.
    func verifies(
        _ signature: Span<UInt8>, of message: Span<UInt8>, algorithm: SignatureAlgorithm
    ) -> Bool {
        let code = unsafe NativeMemory.withDatum(message) { message in
            unsafe NativeMemory.withDatum(signature) { signature in
                // SAFETY: handle is live; both datums outlive the call and are only read.
                unsafe gnutls_pubkey_verify_data2(
                    handle, algorithm.native, algorithm.verificationFlags, message, signature)
            }
        }
        // The number of verified bytes or zero on success, an error below zero otherwise.
        return code >= 0
    }
}

extension SignatureAlgorithm {
    /// GnuTLS's own number for the algorithm. The ECDSA ones are TLS 1.3's, which name the curve.
    var native: gnutls_sign_algorithm_t {
        switch self {
        case .ecdsaP256SHA256: GNUTLS_SIGN_ECDSA_SECP256R1_SHA256
        case .ecdsaP384SHA384: GNUTLS_SIGN_ECDSA_SECP384R1_SHA384
        case .rsaPSSSHA256: GNUTLS_SIGN_RSA_PSS_RSAE_SHA256
        case .ed25519: GNUTLS_SIGN_EDDSA_ED25519
        }
    }

    /// > the length of the Salt MUST be equal to the length of the digest algorithm (RFC 8446 §4.2.3)
    ///
    /// GnuTLS 3.7.9 refuses other salts without this flag too (BindingTests tries them); the flag makes it a contract.
    fileprivate var verificationFlags: UInt32 {
        switch self {
        case .rsaPSSSHA256: GNUTLS_VERIFY_RSA_PSS_FIXED_SALT_LENGTH.rawValue
        case .ecdsaP256SHA256, .ecdsaP384SHA384, .ed25519: 0
        }
    }
}
