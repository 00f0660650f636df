/// Memory that a backend guards for one secret: locked against swapping where the system allows it, wiped on release.
///
/// Implemented by a backend (`MultipeerSodium`); never used bare, always inside a ``Secret``.
public protocol SecretStorage: AnyObject, Sendable {
    /// Size in bytes; fixed for life.
    var count: Int { get }

    /// Lends the bytes for reading. The body must not keep a copy.
    func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result

    /// Lends the bytes for writing. The body must not keep a copy.
    func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result
}

/// A secret with exactly one owner. When the owner goes, the storage is wiped.
///
/// Not copyable, so that no second reference outlives the state that is entitled to the secret.
public struct Secret: ~Copyable, Sendable {
    private let storage: any SecretStorage

    /// Takes ownership of freshly made storage that nobody else refers to.
    public init(owning storage: any SecretStorage) {
        self.storage = storage
    }

    /// Size in bytes.
    public var count: Int { storage.count }

    /// Lends the bytes for reading. The body must not keep a copy.
    public borrowing func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withBytes(body)
    }

    /// Lends the bytes for writing. The body must not keep a copy.
    public mutating func withMutableBytes<Result: ~Copyable, Failure: Error>(
        _ body: (inout MutableSpan<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try storage.withMutableBytes(body)
    }
}

/// Gives out memory for secrets.
public protocol SecretAllocator: Sendable {
    /// Returns `count` zero bytes of guarded memory.
    /// - Throws: ``CryptoFailure/outOfSecretMemory``.
    func makeSecret(count: Int) throws(CryptoFailure) -> Secret
}

extension Secret {
    /// Whether the bytes are these, in a time that does not depend on where they differ (R25.5-3, SPEC §13.9).
    package borrowing func equals(_ other: [UInt8]) -> Bool {
        guard count == other.count else { return false }
        return withBytes { bytes in
            var difference: UInt8 = 0
            for index in bytes.indices { difference |= bytes[index] ^ other[index] }
            return difference == 0
        }
    }
}
