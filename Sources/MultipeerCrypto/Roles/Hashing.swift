/// SHA-256, as Noise calls it HASH, with what Noise builds on it.
public protocol Hashing: Sendable {
    /// SHA-256 of the concatenation of `first` and `second`.
    func hash(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Digest

    /// HKDF of Noise §4.3 with two outputs of 32 bytes, both in guarded memory.
    func deriveKeys(
        chainingKey: borrowing Secret, inputKeyMaterial: Span<UInt8>
    ) throws(CryptoFailure) -> DerivedKeyPair

    /// Starts a SHA-256 over bytes that come in pieces.
    func makeDigester() -> any Digester
}

/// Two outputs of one key derivation.
public struct DerivedKeyPair: ~Copyable, Sendable {
    /// The first output: the next chaining key, or the key of the initiator's direction.
    public var first: Secret
    /// The second output: the cipher key, or the key of the responder's direction.
    public var second: Secret

    /// Joins two outputs. Called by backends.
    public init(first: consuming Secret, second: consuming Secret) {
        self.first = first
        self.second = second
    }
}

/// A running SHA-256.
public protocol Digester: AnyObject {
    /// Takes the next bytes.
    func update(_ bytes: Span<UInt8>)

    /// Ends the computation. Called once, last.
    func finish() -> Digest
}

/// A SHA-256 digest, 32 bytes.
public struct Digest: Hashable, Sendable {
    /// The length in bytes.
    public static let length = 32

    /// Exactly 32 bytes.
    public let rawBytes: [UInt8]

    /// - Throws: ``CryptoFailure/malformedKey`` unless there are 32 bytes.
    public init(rawBytes: [UInt8]) throws(CryptoFailure) {
        guard rawBytes.count == Self.length else { throw .malformedKey }
        self.rawBytes = rawBytes
    }
}
