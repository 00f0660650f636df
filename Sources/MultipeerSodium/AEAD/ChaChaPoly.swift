internal import CSodium
public import MultipeerCrypto

/// ChaCha20-Poly1305 (RFC 8439), with a 96-bit nonce.
public struct ChaChaPoly: AEAD {
    private let secrets: LockedMemory

    init(secrets: LockedMemory) {
        self.secrets = secrets
    }

    public func makeKey(_ secret: consuming Secret) throws(CryptoFailure) -> any AEADKey {
        guard secret.count == ChaChaPolyKey.keyLength else { throw .malformedKey }
        // Copied, so that sealing reads the key by pointer; the original is wiped when this function returns.
        let slot = try secrets.makeSlot(size: .small, count: ChaChaPolyKey.keyLength)
        secret.withBytes { key in
            slot.withMutableBytes { copy in
                for index in key.indices { copy[index] = key[index] }
            }
        }
        return ChaChaPolyKey(slot)
    }
}

/// One key, in locked memory. Nothing is allocated or copied to seal or open.
final class ChaChaPolyKey: RawNonceAEADKey {
    static let keyLength = 32
    private let key: LockedSlot

    init(_ key: LockedSlot) {
        self.key = key
    }

    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, nonce: UInt64
    ) throws(CryptoFailure) {
        try seal(
            &buffer, associatedData: associatedData, plaintext: plaintext, rawNonce: RawNonce(littleEndian: nonce))
    }

    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, nonce: UInt64, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        try open(sealed, associatedData: associatedData, rawNonce: RawNonce(littleEndian: nonce), into: &plaintext)
    }

    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, rawNonce: RawNonce
    ) throws(CryptoFailure) {
        AEADBounds.checkSeal(bufferCount: buffer.count, associatedData: associatedData, plaintext: plaintext)
        let status = unsafe buffer.withMutableAddress { start in
            unsafe withKey(and: rawNonce) { key, nonce in
                let text = unsafe start + plaintext.lowerBound
                // SAFETY: all ranges are inside the buffer (checked above). The function works in place.
                return unsafe crypto_aead_chacha20poly1305_ietf_encrypt_detached(
                    text, text + plaintext.count, nil, text, UInt64(plaintext.count),
                    start + associatedData.lowerBound, UInt64(associatedData.count), nil, nonce, key)
            }
        }
        guard status == 0 else { throw .backendRefused(code: status) }
    }

    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, rawNonce: RawNonce, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        guard sealed.count >= aeadTagLength else { throw .authenticationFailed }
        let length = sealed.count - aeadTagLength
        AEADBounds.checkOpen(freeCapacity: plaintext.freeCapacity, plaintextCount: length)
        let status = unsafe plaintext.withUnsafeMutableBufferPointer { output, initializedCount -> Int32 in
            let status = unsafe sealed.withAddress { ciphertext in
                unsafe associatedData.withAddress { associatedStart in
                    unsafe withKey(and: rawNonce) { key, nonce in
                        // SAFETY: `output` has room for `length` bytes (checked above), `sealed` has a tag after as
                        // many. The tag is checked first; on a mismatch the function leaves zeros in the output.
                        // Without an output address it would check the tag alone: there is none to fill then.
                        unsafe crypto_aead_chacha20poly1305_ietf_decrypt_detached(
                            output.baseAddress.map { unsafe $0 + initializedCount }, nil, ciphertext, UInt64(length),
                            ciphertext + length, associatedStart, UInt64(associatedData.count), nonce, key)
                    }
                }
            }
            if status == 0 { initializedCount += length }
            return status
        }
        guard status == 0 else { throw .authenticationFailed }
    }
    private func withKey(
        and nonce: RawNonce, _ body: (UnsafeMutablePointer<UInt8>, UnsafePointer<UInt8>) -> Int32
    ) -> Int32 {
        unsafe key.withAddress { key in
            // SAFETY: the tuple is 12 contiguous bytes without padding, and the pointer does not outlive the call.
            unsafe withUnsafePointer(to: nonce.words) { words in
                unsafe words.withMemoryRebound(to: UInt8.self, capacity: RawNonce.length) { unsafe body(key, $0) }
            }
        }
    }
}
