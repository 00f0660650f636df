/// The 12 bytes of an AEAD nonce, as the algorithm takes them.
///
/// Not public: protocol code counts, and only a backend turns the count into bytes. Known answers with other nonces
/// than ours go through the same path.
package struct RawNonce {
    /// The 12 bytes in their order, without padding. Three words, because a 64-bit field would be padded to eight bytes.
    package let words: (UInt32, UInt32, UInt32)

    /// The nonce length in bytes.
    package static var length: Int { 12 }

    /// ChaChaPoly (Noise §12.3): four zero bytes, then the counter little-endian.
    package init(littleEndian counter: UInt64) {
        words = (0, UInt32(truncatingIfNeeded: counter).littleEndian, UInt32(counter >> 32).littleEndian)
    }

    /// AESGCM (Noise §12.4): four zero bytes, then the counter big-endian.
    package init(bigEndian counter: UInt64) {
        words = (0, UInt32(counter >> 32).bigEndian, UInt32(truncatingIfNeeded: counter).bigEndian)
    }

    /// Any nonce; nil unless there are 12 bytes.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.length else { return nil }
        func word(at index: Int) -> UInt32 {
            var value: UInt32 = 0
            for byte in bytes[index..<index + 4] { value = value << 8 | UInt32(byte) }
            return value.bigEndian
        }
        words = (word(at: 0), word(at: 4), word(at: 8))
    }
}

/// The path below ``AEADKey``'s counter. Both backends go through it, so that vectors with arbitrary nonces test the
/// code that seals records.
package protocol RawNonceAEADKey: AEADKey {
    /// As ``AEADKey/seal(_:associatedData:plaintext:nonce:)``.
    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, rawNonce: RawNonce
    ) throws(CryptoFailure)

    /// As ``AEADKey/open(_:associatedData:nonce:into:)``.
    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, rawNonce: RawNonce, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure)
}
