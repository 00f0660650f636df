internal import CGnuTLS
public import MultipeerCrypto

/// AES-256-GCM (NIST SP 800-38D), with a 96-bit nonce and a 128-bit tag.
public struct GnuTLSAESGCM: AEAD {
    /// Creates the algorithm. GnuTLS starts by itself when it is loaded.
    public init() {}

    /// Whether the processor has instructions for AES and for carry-less multiplication.
    public var isHardwareAccelerated: Bool { Self.hasInstructions }

    private static let hasInstructions = multipeer_has_aes_instructions() != 0

    public func makeKey(_ secret: consuming Secret) throws(CryptoFailure) -> any AEADKey {
        try GnuTLSAESGCMKey(secret)
    }
}

/// One key, expanded. Nothing is allocated or copied to seal or open.
///
/// GnuTLS keeps the expanded key (under 5 KiB, 752 bytes with AES instructions) in ordinary memory and wipes it when
/// the handle goes; it offers no other place for it.
@safe final class GnuTLSAESGCMKey: RawNonceAEADKey {
    static let keyLength = 32
    private let handle: gnutls_aead_cipher_hd_t

    /// Expands the key; `secret` is wiped when this returns.
    init(_ secret: consuming Secret) throws(CryptoFailure) {
        guard secret.count == Self.keyLength else { throw .malformedKey }
        unsafe handle = unsafe try secret.withBytes { (key) throws(CryptoFailure) in
            unsafe try Self.makeHandle(key)
        }
    }

    deinit {
        // SAFETY: made in `init`, and the last reference is going.
        unsafe gnutls_aead_cipher_deinit(handle)
    }

    @unsafe private static func makeHandle(_ key: Span<UInt8>) throws(CryptoFailure) -> gnutls_aead_cipher_hd_t {
        var handle: gnutls_aead_cipher_hd_t?
        let status = unsafe key.withUnsafeBufferPointer { key in
            // SAFETY: a datum does not say const, but the function only reads the key, and keeps no pointer to it.
            var datum = unsafe gnutls_datum_t(data: UnsafeMutablePointer(mutating: key.baseAddress), size: 32)
            return unsafe gnutls_aead_cipher_init(&handle, GNUTLS_CIPHER_AES_256_GCM, &datum)
        }
        guard status == GNUTLS_E_SUCCESS, let handle = unsafe handle else { throw .backendRefused(code: status) }
        return unsafe handle
    }

    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, nonce: UInt64
    ) throws(CryptoFailure) {
        try seal(&buffer, associatedData: associatedData, plaintext: plaintext, rawNonce: RawNonce(bigEndian: nonce))
    }

    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, nonce: UInt64, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        try open(sealed, associatedData: associatedData, rawNonce: RawNonce(bigEndian: nonce), into: &plaintext)
    }

    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, rawNonce: RawNonce
    ) throws(CryptoFailure) {
        AEADBounds.checkSeal(bufferCount: buffer.count, associatedData: associatedData, plaintext: plaintext)
        let status = unsafe buffer.withUnsafeMutableBufferPointer { buffer -> Int32 in
            // The bounds check has seen room for a tag, so that there is an address.
            guard let start = buffer.baseAddress else { return GNUTLS_E_SHORT_MEMORY_BUFFER }
            return unsafe withBytes(of: rawNonce) { nonce in
                let text = unsafe start + plaintext.lowerBound
                var sealedCount = plaintext.count + aeadTagLength
                // SAFETY: all ranges are inside the buffer (checked above). In place: a test compares it with separate
                // buffers for every length that takes another path through the library.
                return unsafe gnutls_aead_cipher_encrypt(
                    handle, nonce, RawNonce.length, start + associatedData.lowerBound, associatedData.count,
                    aeadTagLength, text, plaintext.count, text, &sealedCount)
            }
        }
        guard status == GNUTLS_E_SUCCESS else { throw .backendRefused(code: status) }
    }

    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, rawNonce: RawNonce, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        guard sealed.count >= aeadTagLength else { throw .authenticationFailed }
        let length = sealed.count - aeadTagLength
        AEADBounds.checkOpen(freeCapacity: plaintext.freeCapacity, plaintextCount: length)
        let status = unsafe plaintext.withUnsafeMutableBufferPointer { output, initializedCount -> Int32 in
            let target = unsafe output.baseAddress.map { unsafe $0 + initializedCount }
            var openedCount = length
            let status = unsafe sealed.withUnsafeBufferPointer { sealed in
                unsafe associatedData.withUnsafeBufferPointer { associatedData in
                    unsafe withBytes(of: rawNonce) { nonce in
                        // SAFETY: `target` has room for `length` bytes (checked above).
                        unsafe gnutls_aead_cipher_decrypt(
                            handle, nonce, RawNonce.length, associatedData.baseAddress, associatedData.count,
                            aeadTagLength, sealed.baseAddress, sealed.count, target, &openedCount)
                    }
                }
            }
            guard status == GNUTLS_E_SUCCESS else {
                // GnuTLS decrypts before it compares the tag, and leaves the rejected plaintext in the output. SAFETY:
                // the same `length` bytes of the output.
                if let target = unsafe target { unsafe gnutls_memset(target, 0, length) }
                return status
            }
            initializedCount += length
            return status
        }
        guard status == GNUTLS_E_SUCCESS else { throw .authenticationFailed }
    }

    /// Lends the 12 bytes of a nonce. Here, and not beside them, because a call into another module is no cheap one.
    @inline(__always)
    private func withBytes(of nonce: RawNonce, _ body: (UnsafePointer<UInt8>) -> Int32) -> Int32 {
        // SAFETY: the tuple is 12 contiguous bytes without padding, and the pointer does not outlive the call.
        unsafe withUnsafePointer(to: nonce.words) { words in
            unsafe words.withMemoryRebound(to: UInt8.self, capacity: RawNonce.length) { unsafe body($0) }
        }
    }
}
