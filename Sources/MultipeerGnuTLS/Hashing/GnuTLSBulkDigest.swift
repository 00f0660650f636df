internal import CGnuTLS
public import MultipeerCrypto

/// SHA-256 of files, with the processor's SHA instructions where it has them.
public struct GnuTLSBulkDigest: BulkDigest {
    /// GnuTLS starts by itself when it is loaded.
    public init() {}

    public func makeDigester() throws(CryptoFailure) -> any Digester {
        try GnuTLSDigester()
    }
}

@safe private final class GnuTLSDigester: Digester {
    private let handle: gnutls_hash_hd_t
    /// The first failure of an update; reported at the end.
    private var refusal: Int32 = GNUTLS_E_SUCCESS

    init() throws(CryptoFailure) {
        var handle: gnutls_hash_hd_t?
        // SAFETY: writes the handle.
        let status = unsafe gnutls_hash_init(&handle, GNUTLS_DIG_SHA256)
        guard status == GNUTLS_E_SUCCESS, let handle = unsafe handle else { throw .backendRefused(code: status) }
        unsafe self.handle = unsafe handle
    }

    deinit {
        // SAFETY: made in `init`, and the last reference is going. The digest is not asked for.
        unsafe gnutls_hash_deinit(handle, nil)
    }

    func update(_ bytes: Span<UInt8>) {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return }
            // SAFETY: reads `count` bytes.
            let status = unsafe gnutls_hash(handle, start, bytes.count)
            if refusal == GNUTLS_E_SUCCESS { refusal = status }
        }
    }

    func finish() throws(CryptoFailure) -> Digest {
        var bytes = [UInt8](repeating: 0, count: Digest.length)
        // SAFETY: writes the 32 bytes of a SHA-256 digest, and resets the state.
        unsafe gnutls_hash_output(handle, &bytes)
        defer { refusal = GNUTLS_E_SUCCESS }
        guard refusal == GNUTLS_E_SUCCESS else { throw .backendRefused(code: refusal) }
        return Digest(exactly: bytes)
    }
}
