public import MultipeerWire

/// One direction's key and its counter (Noise §5.1).
///
/// The counter is here and nowhere else, so that no nonce can serve twice: not copyable, and only a success counts up.
public struct CipherState: ~Copyable {
    private var key: any AEADKey
    /// The counter of the next message: how many were sealed or opened. Kept by ``rekey()``.
    public private(set) var nonce: UInt64
    // No existential but class-bound ones here and in the states around (see CryptoProvider).
    private let suite: Suite
    private let crypto: CryptoProvider

    /// `InitializeKey(key)`, with the counter at zero.
    /// - Throws: ``CryptoFailure/malformedKey`` unless `key` has 32 bytes, ``CryptoFailure/outOfSecretMemory``,
    ///   ``CryptoFailure/backendRefused(code:)``.
    public init(key: consuming Secret, suite: Suite, crypto: CryptoProvider) throws(CryptoFailure) {
        try self.init(key: key, suite: suite, crypto: crypto, nonce: 0)
    }

    /// Begins at any counter, so that tests reach the end of the nonces.
    package init(
        key: consuming Secret, suite: Suite, crypto: CryptoProvider, nonce: UInt64
    ) throws(CryptoFailure) {
        self.key = try crypto.makeKey(key, for: suite)
        self.nonce = nonce
        self.suite = suite
        self.crypto = crypto
    }

    /// `EncryptWithAd`: seals `buffer[plaintext]` in place, with the tag in the 16 bytes after it. SPEC §12
    ///
    /// - Parameter associatedData: a range of `buffer` that lies before `plaintext`. Either range may be empty.
    /// - Parameter buffer: The record or message; sealed in place.
    /// - Parameter plaintext: The range to encrypt, or where the plaintext is appended.
    /// - Precondition: `plaintext.upperBound + 16 <= buffer.count`.
    /// - Throws: ``CryptoFailure/nonceExhausted``, ``CryptoFailure/backendRefused(code:)``. The buffer is not to be sent.
    public mutating func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>
    ) throws(CryptoFailure) {
        guard nonce < Self.reservedNonce else { throw .nonceExhausted }
        try key.seal(&buffer, associatedData: associatedData, plaintext: plaintext, nonce: nonce)
        nonce += 1
    }

    /// `DecryptWithAd`: verifies and decrypts `sealed` (ciphertext ‖ tag) and appends the plaintext. SPEC §12
    ///
    /// A failure releases nothing and does not count: the genuine message can still be opened.
    /// - Precondition: `plaintext.freeCapacity >= sealed.count - 16`.
    /// - Throws: ``CryptoFailure/authenticationFailed``, ``CryptoFailure/nonceExhausted``.
    public mutating func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure) {
        guard nonce < Self.reservedNonce else { throw .nonceExhausted }
        // > If an authentication failure occurs in DECRYPT() then n is not incremented and an error is signaled.
        try key.open(sealed, associatedData: associatedData, nonce: nonce, into: &plaintext)
        nonce += 1
    }

    /// `Rekey()`: replaces the key by one from which the old cannot be computed; the counter continues. SPEC §12
    ///
    /// > REKEY(k): Returns a new 32-byte cipher key as a pseudorandom function of k. If this function is not
    /// > specifically defined for some set of cipher functions, then it defaults to returning the first 32 bytes from
    /// > ENCRYPT(k, maxnonce, zerolen, zeros), where maxnonce equals 2^64-1, zerolen is a zero-length byte sequence, and
    /// > zeros is a sequence of 32 bytes filled with zeros.
    ///
    /// - Throws: ``CryptoFailure/outOfSecretMemory``, ``CryptoFailure/backendRefused(code:)``; the old key stays then.
    public mutating func rekey() throws(CryptoFailure) {
        var zeros = try crypto.secrets.makeSecret(count: NoiseLength.cipherKey + aeadTagLength)
        try zeros.withMutableBytes { (bytes) throws(CryptoFailure) in
            try key.seal(
                &bytes, associatedData: 0..<0, plaintext: 0..<NoiseLength.cipherKey, nonce: Self.reservedNonce)
        }
        let successor = try zeros.withBytes { (bytes) throws(CryptoFailure) in
            try crypto.secrets.makeSecret(copying: bytes.extracting(first: NoiseLength.cipherKey))
        }
        key = try crypto.makeKey(successor, for: suite)
    }

    /// > The maximum n value (2^64-1) is reserved for other use.
    private static let reservedNonce = UInt64.max
}
