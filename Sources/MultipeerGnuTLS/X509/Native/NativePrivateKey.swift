internal import CGnuTLS
import MultipeerCertificates
import MultipeerCrypto

/// A private key as GnuTLS holds it. GnuTLS keeps keys in ordinary memory and wipes them when it frees them.
@safe
struct NativePrivateKey: ~Copyable {
    /// The X.509 key; owned.
    let handle: gnutls_x509_privkey_t
    /// The same key for GnuTLS's signing interface; owned, with a copy of the key of its own.
    let signingHandle: gnutls_privkey_t

    /// Takes over a filled X.509 key. Frees it when this fails.
    private init?(owning handle: gnutls_x509_privkey_t) {
        guard let signing = unsafe NativeMemory.allocate(gnutls_privkey_init) else {
            unsafe gnutls_x509_privkey_deinit(handle)
            return nil
        }
        let code = unsafe gnutls_privkey_import_x509(signing, handle, GNUTLS_PRIVKEY_IMPORT_COPY.rawValue)
        guard code == GNUTLS_E_SUCCESS else {
            unsafe gnutls_privkey_deinit(signing)
            unsafe gnutls_x509_privkey_deinit(handle)
            return nil
        }
        unsafe self.handle = handle
        unsafe signingHandle = signing
    }

    deinit {
        // SAFETY: both handles are owned by this value alone, which goes once.
        unsafe gnutls_privkey_deinit(signingHandle)
        unsafe gnutls_x509_privkey_deinit(handle)
    }

    /// The DER forms of private keys.
    enum Form {
        case pkcs8
        /// PKCS #1 or SEC 1, which GnuTLS distinguishes.
        case traditional
    }

    /// Reads a key in DER; nil when the bytes are none.
    static func read(der: [UInt8], form: Form) -> NativePrivateKey? {
        guard let handle = unsafe NativeMemory.allocate(gnutls_x509_privkey_init) else { return nil }
        let code = unsafe NativeMemory.withDatum(der) { datum in
            // SAFETY: GnuTLS copies out of the datum during the call.
            switch form {
            case .pkcs8:
                unsafe gnutls_x509_privkey_import_pkcs8(
                    handle, datum, GNUTLS_X509_FMT_DER, nil, GNUTLS_PKCS_PLAIN.rawValue)
            case .traditional:
                unsafe gnutls_x509_privkey_import(handle, datum, GNUTLS_X509_FMT_DER)
            }
        }
        guard code == GNUTLS_E_SUCCESS else {
            unsafe gnutls_x509_privkey_deinit(handle)
            return nil
        }
        return unsafe NativePrivateKey(owning: handle)
    }

    /// Makes a new key; nil when GnuTLS refuses.
    static func generate(_ algorithm: LeafKeyAlgorithm) -> NativePrivateKey? {
        guard let handle = unsafe NativeMemory.allocate(gnutls_x509_privkey_init) else { return nil }
        let code = unsafe gnutls_x509_privkey_generate(handle, algorithm.nativeType, algorithm.nativeSize, 0)
        guard code == GNUTLS_E_SUCCESS else {
            unsafe gnutls_x509_privkey_deinit(handle)
            return nil
        }
        return unsafe NativePrivateKey(owning: handle)
    }

    /// The public half as SubjectPublicKeyInfo in DER.
    func subjectPublicKeyInfo() -> [UInt8]? {
        guard let key = unsafe NativeMemory.allocate(gnutls_pubkey_init) else { return nil }
        // SAFETY: freed on every way out of this function.
        defer { unsafe gnutls_pubkey_deinit(key) }
        guard unsafe gnutls_pubkey_import_privkey(key, signingHandle, 0, 0) == GNUTLS_E_SUCCESS else { return nil }
        var datum = unsafe gnutls_datum_t()
        guard unsafe gnutls_pubkey_export2(key, GNUTLS_X509_FMT_DER, &datum) == GNUTLS_E_SUCCESS else { return nil }
        return unsafe NativeMemory.take(datum)
    }

    /// The key as PKCS #8 in DER, in the clear. Unguarded memory: the caller wipes it.
    func pkcs8() -> [UInt8]? {
        var datum = unsafe gnutls_datum_t()
        let code = unsafe gnutls_x509_privkey_export2_pkcs8(
            handle, GNUTLS_X509_FMT_DER, nil, GNUTLS_PKCS_PLAIN.rawValue, &datum)
        return code == GNUTLS_E_SUCCESS ? unsafe NativeMemory.take(datum) : nil
    }

    /// The seed of an Ed25519 key, 32 bytes; nil for another key. Unguarded memory: the caller wipes it.
    func ed25519Seed() -> [UInt8]? {
        var curve = GNUTLS_ECC_CURVE_INVALID
        var seed = unsafe gnutls_datum_t()
        // SAFETY: the handle is live; GnuTLS allocates the seed and gives it to us. The public half is not asked for.
        let code = unsafe gnutls_x509_privkey_export_ecc_raw(handle, &curve, nil, nil, &seed)
        guard code == GNUTLS_E_SUCCESS else { return nil }
        let bytes = unsafe NativeMemory.take(seed)
        return curve == GNUTLS_ECC_CURVE_ED25519 && bytes.count == 32 ? bytes : nil
    }

    /// Signs `message` (not a hash of it).
    func sign(_ message: Span<UInt8>, algorithm: SignatureAlgorithm) throws(CryptoFailure) -> [UInt8] {
        var signature = unsafe gnutls_datum_t()
        let code = unsafe NativeMemory.withDatum(message) { message in
            // SAFETY: the handle is live; GnuTLS allocates the signature and gives it to us.
            unsafe gnutls_privkey_sign_data2(signingHandle, algorithm.native, 0, message, &signature)
        }
        guard code == GNUTLS_E_SUCCESS else { throw .backendRefused(code: code) }
        return unsafe NativeMemory.take(signature)
    }
}

extension LeafKeyAlgorithm {
    fileprivate var nativeType: gnutls_pk_algorithm_t {
        switch self {
        case .ed25519: GNUTLS_PK_EDDSA_ED25519
        case .ecdsaP256, .ecdsaP384: GNUTLS_PK_ECDSA
        case .rsa: GNUTLS_PK_RSA
        }
    }

    /// Bits, or a curve in GnuTLS's coding of it (GNUTLS_CURVE_TO_BITS, a macro that Swift cannot see).
    fileprivate var nativeSize: UInt32 {
        switch self {
        case .ed25519: 0x8000_0000 | GNUTLS_ECC_CURVE_ED25519.rawValue
        case .ecdsaP256: 0x8000_0000 | GNUTLS_ECC_CURVE_SECP256R1.rawValue
        case .ecdsaP384: 0x8000_0000 | GNUTLS_ECC_CURVE_SECP384R1.rawValue
        case .rsa: 3072
        }
    }
}
