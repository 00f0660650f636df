/// The length of the authentication tag of every AEAD of this protocol, in bytes.
public let aeadTagLength = 16

/// An AEAD algorithm with a 256-bit key, a 96-bit nonce and a 128-bit tag.
public protocol AEAD: Sendable {
    /// Whether the processor has instructions for this algorithm, so that it is faster than one in plain code.
    var isHardwareAccelerated: Bool { get }

    /// Makes a key ready for use. The 32 bytes of `secret` are wiped once the backend has taken what it needs.
    /// - Throws: ``CryptoFailure/malformedKey`` for another length, ``CryptoFailure/outOfSecretMemory``,
    ///   ``CryptoFailure/backendRefused(code:)``.
    func makeKey(_ secret: consuming Secret) throws(CryptoFailure) -> any AEADKey
}

extension AEAD {
    /// False, unless the implementation says otherwise.
    public var isHardwareAccelerated: Bool { false }
}

/// One key of an AEAD. The counter is not here but in the ``CipherState`` that owns the key.
///
/// `nonce` is the Noise counter; the implementation lays it out as its algorithm asks (Noise §12.3, §12.4: ChaChaPoly
/// little-endian, AESGCM big-endian, both after four zero bytes).
public protocol AEADKey: AnyObject {
    /// Encrypts `buffer[plaintext]` in place and writes the tag to the 16 bytes after it.
    ///
    /// `associatedData` is a range of the same buffer, and lies before `plaintext`. Either range may be empty.
    /// - Precondition: `plaintext.upperBound + 16 <= buffer.count`.
    func seal(
        _ buffer: inout MutableSpan<UInt8>, associatedData: Range<Int>, plaintext: Range<Int>, nonce: UInt64
    ) throws(CryptoFailure)

    /// Verifies and decrypts `sealed` (ciphertext ‖ tag) and appends the plaintext to `plaintext`.
    ///
    /// When it throws, `plaintext` is as it was, and nothing of the rejected plaintext stays in its memory.
    /// - Precondition: `plaintext.freeCapacity >= sealed.count - 16`.
    /// - Throws: ``CryptoFailure/authenticationFailed``, also for fewer than 16 bytes.
    func open(
        _ sealed: Span<UInt8>, associatedData: Span<UInt8>, nonce: UInt64, into plaintext: inout OutputSpan<UInt8>
    ) throws(CryptoFailure)
}
