/// SHA-256, as Noise calls it HASH, with what Noise builds on it.
public protocol Hashing: Sendable {
    /// SHA-256 of the concatenation of `first` and `second`.
    func hash(_ first: Span<UInt8>, _ second: Span<UInt8>) -> Digest

    /// HKDF of Noise §4.3 with two outputs of 32 bytes, both in guarded memory.
    func deriveKeys(
        chainingKey: borrowing Secret, inputKeyMaterial: Span<UInt8>
    ) throws(CryptoFailure) -> DerivedKeyPair

    /// HKDF of Noise §4.3 with three outputs and without input key material, as Split() uses it (SPEC §9.8).
    func deriveSplitKeys(chainingKey: borrowing Secret) throws(CryptoFailure) -> SplitKeys

    /// HMAC-SHA256 (RFC 2104) of `first` ‖ `second`, 32 bytes in guarded memory.
    func authenticate(
        _ first: Span<UInt8>, _ second: Span<UInt8>, key: borrowing Secret
    ) throws(CryptoFailure) -> Secret
}

/// SHA-256 over bytes that come in pieces and in bulk: files.
///
/// It is a protocol of its own, because the library with the best locked memory is not the one with the fastest SHA-256
/// (docs/decisions/0002-bulk-digest.md).
public protocol BulkDigest: Sendable {
    /// Starts a SHA-256.
    /// - Throws: ``CryptoFailure/backendRefused(code:)`` when the library has no memory for it.
    func makeDigester() throws(CryptoFailure) -> any Digester
}

/// Two outputs of one key derivation.
public struct DerivedKeyPair: ~Copyable, Sendable {
    /// The first output: the next chaining key.
    public var first: Secret
    /// The second output: the cipher key.
    public var second: Secret

    /// Creates a pair. Called by backends.
    public init(first: consuming Secret, second: consuming Secret) {
        self.first = first
        self.second = second
    }
}

/// What Split() derives.
public struct SplitKeys: ~Copyable, Sendable {
    /// The key of the initiator's direction.
    public var initiator: Secret
    /// The key of the responder's direction.
    public var responder: Secret
    /// x, from which the exporter secret is made (SPEC §9.8).
    public var exporterMaterial: Secret

    /// Creates the three. Called by backends.
    public init(initiator: consuming Secret, responder: consuming Secret, exporterMaterial: consuming Secret) {
        self.initiator = initiator
        self.responder = responder
        self.exporterMaterial = exporterMaterial
    }
}

/// A running SHA-256.
public protocol Digester: AnyObject {
    /// Takes the next bytes.
    func update(_ bytes: Span<UInt8>)

    /// Gives the digest of everything taken since the start or the last `finish()`, and starts anew.
    /// - Throws: ``CryptoFailure/backendRefused(code:)`` when the library refused one of the updates.
    func finish() throws(CryptoFailure) -> Digest
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

    /// For what is 32 bytes long by construction: the output of a hash function.
    package init(exactly rawBytes: [UInt8]) {
        precondition(rawBytes.count == Self.length)
        self.rawBytes = rawBytes
    }
}
