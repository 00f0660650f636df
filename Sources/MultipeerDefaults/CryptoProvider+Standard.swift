public import MultipeerCrypto
internal import MultipeerGnuTLS
internal import MultipeerPostQuantum
public import MultipeerSodium

extension CryptoProvider {
    /// The usual primitives: libsodium, with AES-256-GCM and the hash of files by GnuTLS, and, with the trait `PostQuantum`, ML-KEM-768 by
    /// swift-crypto.
    ///
    /// All calls of a process return the same provider, so that all links share its locked memory.
    /// - Throws: `CryptoFailure.backendRefused` when libsodium does not start.
    public static func standard() throws(CryptoFailure) -> CryptoProvider {
        try StandardCrypto.shared.get().crypto
    }
}

extension SodiumProvider {
    /// The libsodium that ``MultipeerCrypto/CryptoProvider/standard()`` uses, for what a link does not need: making
    /// identities, and random bytes.
    /// - Throws: `CryptoFailure.backendRefused` when libsodium does not start.
    public static func standard() throws(CryptoFailure) -> SodiumProvider {
        try StandardCrypto.shared.get().sodium
    }
}

/// Both libraries, started once in a process.
private struct StandardCrypto {
    let sodium: SodiumProvider
    let crypto: CryptoProvider

    static let shared: Result<StandardCrypto, CryptoFailure> = {
        do throws(CryptoFailure) {
            let sodium = try SodiumProvider()
            let crypto = sodium.cryptoProvider(
                aesGCM: GnuTLSAESGCM(), bulkDigest: GnuTLSBulkDigest(), keyEncapsulation: keyEncapsulation(sodium))
            return .success(StandardCrypto(sodium: sodium, crypto: crypto))
        } catch {
            return .failure(error)
        }
    }()

    private static func keyEncapsulation(_ sodium: SodiumProvider) -> (any KeyEncapsulation)? {
        #if PostQuantum
            MLKEM768Encapsulation(secrets: sodium.secrets)
        #else
            nil
        #endif
    }
}
